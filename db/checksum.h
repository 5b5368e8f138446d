/* A checksum of each run that has begun and ended: SHA-256 of its spec, its result, its steps and
 * its evidence, as they are stored. It is written in the transaction that ends the run, imports
 * it or thins its steps, so that a row that somebody changes later does not fit it any more. It
 * does not protect from a person who computes it again: SECURITY.md.
 *
 * What may change of a run that has ended is not in it: the price, which a person may type later,
 * and the contender, which a void takes away. A step of the schema that changes what is in it
 * sets `checksum` to NULL; the upgrade then computes it again. */
#pragma once

#include "db/db.h"

/* Stores the checksum of a run, or nothing where it has not begun or has not ended. Within a
 * transaction of the caller's. */
MUST_USE bool checksum_put(struct db *db, long long number, struct error *err);

/* The same for all runs that have none. */
MUST_USE bool checksum_put_missing(struct db *db, struct error *err);

enum checksum_state {
    CHECKSUM_HOLDS,
    CHECKSUM_DIFFERS, /* something that it covers was changed */
    CHECKSUM_MISSING, /* no program of ours left it so */
};
MUST_USE bool checksum_look(struct db *db, long long number, enum checksum_state *ret_state,
                            struct error *err);

/* A run that has to have a checksum. */
struct checksum_run {
    long long number; /* 0: there is no further one */
    char id[40];
};

/* The first of them behind a number, and how many there are. */
MUST_USE bool checksum_next(struct db *db, long long after, struct checksum_run *ret_run,
                            struct error *err);
MUST_USE bool checksum_count(struct db *db, long long *ret_count, struct error *err);
