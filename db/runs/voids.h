/* Runs that a person voided. A voided run is kept, with its steps, but counts nowhere: the
 * contender moves from the run to its void. Only the place in a sweep does not depend on the
 * contender: db/runs/sweep_runs.c leaves voided runs out. */
#pragma once

#include "common/taken_back.h"
#include "db/db.h"
#include "engine/run/run.h"

/* Voids a run. If it is voided already, the old void stays and *ret_changed is false.
 * ERROR_CONFLICT if the run has not ended. *ret_run is the run as it is now; the caller clears
 * it. */
MUST_USE bool voids_put(struct db *db, const char *id, const struct taken_back *voided,
                        struct run *ret_run, bool *ret_changed, struct error *err);

/* Lifts a void: the run counts again. The void stays stored, with who lifted it, when and why;
 * the reason may be "". *ret_changed is false if the run was not voided. */
MUST_USE bool voids_lift(struct db *db, const char *id, const struct taken_back *lifted,
                         struct run *ret_run, bool *ret_changed, struct error *err);

/* Voids all runs of a sender, except those voided already, in one transaction. */
MUST_USE bool voids_put_sender(struct db *db, const char *sender, const struct taken_back *voided,
                               long long *ret_count, struct error *err);

/* Voids a run by its number, in the caller's transaction; the caller knows that it is not
 * voided. */
MUST_USE bool voids_add(struct db *db, long long run, const struct taken_back *voided,
                        struct error *err);

struct void_row {
    struct taken_back voided, lifted; /* lifted.at_us is 0 while it is in force */
};

/* Calls tell() for each void of a run, the oldest first. */
MUST_USE bool voids_each(struct db *db, const char *id,
                         void (*tell)(void *user, const struct void_row *row), void *user,
                         struct error *err);
