/* Runs that were measured elsewhere: stored as finished, each once, many in a transaction. */
#pragma once

#include "common/limits.h"
#include "db/db.h"
#include "db/runs/machines.h"
#include "engine/document/run_document.h"

/* Longer traces are kept as rows, so that a part of one is found without reading all of it. */
#define IMPORT_TRACE_STEPS 20000

/* What is stored of one; borrowed. */
struct imported {
    const struct run *run; /* finished and imported, with its conclusion; number is not used */
    const struct run_spec *spec;
    const char *stratum, *facts;    /* of run->machine; NULL where that is unknown */
    struct span steps, evidence;    /* as engine/trace/trace.h reads them, without blanks */
    const struct signed_text *kept; /* of a signed document, else NULL */
};

enum import_fate {
    IMPORT_STORED,
    IMPORT_HELD,  /* stored, and held in quarantine */
    IMPORT_KNOWN, /* a run of this id, with this spec and this trace, was here already */
};

/* Ten thousand runs have few machines and few configurations: what was found of the last ones is
 * kept until the transaction ends. */
#define IMPORT_MEMO 8
struct import_contender {
    struct run_spec spec; /* of which only the configuration counts */
    char provider[PROVIDER_SIZE], instance[INSTANCE_SIZE], stratum[17];
    long long number;
};
struct imports {
    struct db *db;
    struct transaction change;
    bool touched; /* the revision */
    struct machine_row machines[IMPORT_MEMO];
    struct import_contender contenders[IMPORT_MEMO];
    size_t machine_count, contender_count; /* ever kept; the oldest makes room */
};

/* Everything until imports_commit(), or nothing; durable.
 *     AUTO(imports_end) struct imports imports = {0}; */
MUST_USE bool imports_begin(struct imports *imports, struct db *db, struct error *err);

/* ERROR_CONFLICT, with the field: this run contradicts what is stored. Nothing of it was kept,
 * and others may follow. After any other failure the transaction is of no use. */
MUST_USE bool imports_put(struct imports *imports, const struct imported *imported,
                          enum import_fate *ret_fate, struct error *err);

MUST_USE bool imports_commit(struct imports *imports, struct error *err);

/* Zeroed ones are fine. */
void imports_end(struct imports *imports);
