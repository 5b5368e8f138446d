/* Documents of runs that were measured elsewhere, on their way into the database. What follows
 * from a trace is not accepted but computed again. */
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
    long long held;                                      /* of those imported: in quarantine */
    struct import_refusal refusals[IMPORT_REFUSALS_MAX]; /* by line */
    size_t refusal_count;
};

/* What came, and from whom. */
struct import_body {
    const char *text;
    size_t length;
    const char *sender;        /* stays with each run that is new here; "" where none is known */
    struct import_rules rules; /* of its signatures */
    const atomic_bool *stop;   /* ends it with ERROR_BUSY once it is true; NULL for never */
};

/* How many documents a text of lines has: those that are not blank. */
long long import_count(const char *text, size_t length);

/* A document a line; empty lines are skipped. Lines do not depend on each other: good ones are
 * stored, durably, and the refused are listed. False for what no line is to blame for: some may
 * be stored then, which the report says; a repeated import counts those as known. */
MUST_USE bool import_lines(struct db_pool *pool, const struct import_body *body,
                           struct import_report *ret_report, struct error *err);

/* Whether a document was refused: the sender's doing, and no failure of ours. */
bool import_is_refusal(enum error_kind kind);

/* One document, which may be refused. */
MUST_USE bool import_one(struct db_pool *pool, const struct import_body *body,
                         struct run_id *ret_id, enum import_fate *ret_fate, struct error *err);
