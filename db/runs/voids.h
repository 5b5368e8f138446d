/* Runs that a person took back. A voided run is kept, with its steps; it counts nowhere, because
 * its void has the contender instead of the run. Only the place of a run in its sweep does not
 * depend on the contender: db/runs/sweep_runs.c leaves voided runs out. */
#pragma once

#include "common/taken_back.h"
#include "db/db.h"
#include "engine/run/run.h"

/* Voids a run. A run that is voided keeps its void, and *ret_changed is false. ERROR_CONFLICT
 * where the run has not ended. The caller clears the run, which is as it is now. */
MUST_USE bool voids_put(struct db *db, const char *id, const struct taken_back *voided,
                        struct run *ret_run, bool *ret_changed, struct error *err);

/* The run counts again. The void stays stored, with who lifted it, when and why; the reason may
 * be "". *ret_changed is false where the run was not voided. */
MUST_USE bool voids_lift(struct db *db, const char *id, const struct taken_back *lifted,
                         struct run *ret_run, bool *ret_changed, struct error *err);

/* Voids all runs of a sender that are not voided, in one transaction. */
MUST_USE bool voids_put_sender(struct db *db, const char *sender, const struct taken_back *voided,
                               long long *ret_count, struct error *err);

/* Voids the run of a number, within a transaction of the caller's, who knows that it is not
 * voided. */
MUST_USE bool voids_add(struct db *db, long long run, const struct taken_back *voided,
                        struct error *err);

struct void_row {
    struct taken_back voided, lifted; /* lifted.at_us is 0 while it is in force */
};

/* Calls tell() for each void that a run ever had, the first one first. */
MUST_USE bool voids_each(struct db *db, const char *id,
                         void (*tell)(void *user, const struct void_row *row), void *user,
                         struct error *err);
