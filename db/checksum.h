/* A checksum of each run that has begun and ended: SHA-256 of its spec, its result, its steps and
 * its evidence, as they are stored. It is written in the transaction that ends the run, imports
 * it or thins its steps; a row changed later no longer matches. It does not protect from a person
 * who recomputes it: SECURITY.md.
 *
 * It leaves out what may change after the end: the price, which a person may type later, and the
 * contender, which a void removes. A schema step that changes covered data sets `checksum` to
 * NULL; the upgrade then computes it again. */
#pragma once

#include "db/db.h"

/* Stores the checksum of a run; does nothing if it has not begun or not ended. In the caller's
 * transaction. */
MUST_USE bool checksum_put(struct db *db, long long number, struct error *err);

/* The same for all runs without a checksum. */
MUST_USE bool checksum_put_missing(struct db *db, struct error *err);

enum checksum_state {
    CHECKSUM_HOLDS,
    CHECKSUM_DIFFERS, /* the covered data changed */
    CHECKSUM_MISSING, /* no version of pennyworth leaves it so */
};
MUST_USE bool checksum_look(struct db *db, long long number, enum checksum_state *ret_state,
                            struct error *err);

/* A run that must have a checksum. */
struct checksum_run {
    long long number; /* 0: no further run */
    char id[40];
};

/* The next such run after a number, and how many there are. */
MUST_USE bool checksum_next(struct db *db, long long after, struct checksum_run *ret_run,
                            struct error *err);
MUST_USE bool checksum_count(struct db *db, long long *ret_count, struct error *err);
