/* Machines with measured runs: one row for each state of a machine; its runs refer to it. */
#pragma once

#include "db/db.h"

/* As stored; the texts are owned. */
struct machine_row {
    long long number;
    char *fingerprint; /* names the row: a hash of all facts */
    char *stratum;     /* a hash of the hardware: equal for machines that may be compared */
    char *facts;       /* machine_to_text() */
    long long seen_us; /* when it was first seen; calendar */
};

/* Stores this server's own machine, and returns its number. If its fingerprint is stored with
 * other facts, which a sender forged for the same hash, its own facts replace them. */
MUST_USE bool machines_store(struct db *db, const struct machine_row *machine,
                             long long *ret_number, struct error *err);

/* Stores a sender's machine, unless it is known, and returns its number; in the caller's
 * transaction. */
MUST_USE bool machines_put(struct db *db, const struct machine_row *machine,
                           long long *ret_number, struct error *err);

MUST_USE bool machines_find(struct db *db, const char *fingerprint,
                            struct machine_row *ret_machine, struct error *err);

/* Calls tell() for each, the latest first, at most `limit` times. */
MUST_USE bool machines_each(struct db *db, long long limit,
                            void (*tell)(void *user, const struct machine_row *machine),
                            void *user, struct error *err);

/* A zeroed row is fine. */
void machine_row_clear(struct machine_row *machine);
