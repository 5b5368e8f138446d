/* Stores runs that were measured elsewhere: as finished, each once, many in a transaction. */
#pragma once

#include "common/limits.h"
#include "db/db.h"
#include "db/runs/machines.h"
#include "engine/document/run_document.h"
#include "engine/run/version.h"

/* Longer traces are stored as rows, so that a part can be read alone. */
#define IMPORT_TRACE_STEPS 20000

/* What is stored of one run; borrowed. */
struct imported {
    const struct run *run; /* finished and imported, with its conclusion; number is ignored */
    const char *stratum, *facts;    /* of run->machine; NULL if unknown */
    struct span steps, evidence;    /* as engine/trace/trace.h reads them, without blanks */
    const struct signed_text *kept; /* of a signed document, else NULL */
};

enum import_fate {
    IMPORT_STORED,
    IMPORT_HELD,  /* stored, and held in quarantine */
    IMPORT_KNOWN, /* a run with this id, spec and trace is stored already */
};

/* Ten thousand runs have few machines and configurations: the last ones found are cached until
 * the transaction ends. */
#define IMPORT_MEMO 8
struct import_contender {
    struct run_spec spec; /* only its configuration counts */
    char provider[PROVIDER_SIZE], instance[INSTANCE_SIZE], stratum[17];
    long long number;
};
struct imports {
    struct db *db;
    struct transaction change;
    bool touched; /* the revision */
    struct machine_row machines[IMPORT_MEMO];
    struct import_contender contenders[IMPORT_MEMO];
    size_t machine_count, contender_count; /* cached in all; a new one replaces the oldest */
    char version[RUN_VERSION_SIZE];        /* the last one, and its number; 0: none */
    long long version_number;
};

/* A durable transaction; rolled back unless committed.
 *     AUTO(imports_end) struct imports imports = {0}; */
MUST_USE bool imports_begin(struct imports *imports, struct db *db, struct error *err);

/* ERROR_CONFLICT, with the field: this run contradicts stored data. Nothing of it was stored, and
 * others may follow. After any other failure the transaction is unusable. */
MUST_USE bool imports_put(struct imports *imports, const struct imported *imported,
                          enum import_fate *ret_fate, struct error *err);

MUST_USE bool imports_commit(struct imports *imports, struct error *err);

/* Zeroed ones are fine. */
void imports_end(struct imports *imports);
