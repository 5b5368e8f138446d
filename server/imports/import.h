/* Stores documents of runs that were measured elsewhere. Everything that follows from a trace is
 * computed again. */
#pragma once

#include "common/limits.h"
#include "db/pool.h"
#include "db/runs/imports.h"
#include "server/keys/import_signatures.h"

#include <stdatomic.h>

struct import_refusal {
    long long line;   /* from 1 */
    struct run_id id; /* "" where it could not be read */
    struct error error;
};

struct import_report {
    long long imported, known, refused;
    long long held;                                      /* of the imported: in quarantine */
    struct import_refusal refusals[IMPORT_REFUSALS_MAX]; /* by line */
    size_t refusal_count;
};

/* An upload and its sender. */
struct import_body {
    const char *text;
    size_t length;
    const char *sender;        /* stored with each new run; "" unknown */
    struct import_rules rules; /* of its signatures */
    const atomic_bool *stop;   /* once true, the import ends with ERROR_BUSY; or NULL */
};

/* Counts the lines that are not blank. */
long long import_count(const char *text, size_t length);

/* One document per line; empty lines are skipped. Lines are independent: good ones are stored
 * durably, refused ones listed. False for a failure that no line caused: the report says which
 * lines were stored, and a repeated import counts these as known. */
MUST_USE bool import_lines(struct db_pool *pool, const struct import_body *body,
                           struct import_report *ret_report, struct error *err);

/* True if the document is at fault, false if the server failed. */
bool import_is_refusal(enum error_kind kind);

/* Imports one document. */
MUST_USE bool import_one(struct db_pool *pool, const struct import_body *body,
                         struct run_id *ret_id, enum import_fate *ret_fate, struct error *err);
