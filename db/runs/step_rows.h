/* Steps as rows, written in batches while a run is under way. */
#pragma once

#include "db/db.h"
#include "engine/trace/steps.h"

struct step_range {
    long long position, limit;
};

/* Stores `count` steps of run `number`, the first of them at `position`, in one transaction that
 * does not wait for the disk: a power cut may take the last seconds of a run that it also ends.
 */
MUST_USE bool step_rows_append(struct db *db, long long number, long long position,
                               const struct step *steps, size_t count, struct error *err);

/* The same within a transaction of the caller's, for a run whose count of steps is right
 * already. */
MUST_USE bool step_rows_put(struct db *db, long long number, long long position,
                            const struct step *steps, size_t count, struct error *err);

/* Adds to *steps those from `position` on, at most `limit`: from their rows, or where it has none
 * from its trace (db/runs/traces.h). */
MUST_USE bool step_rows_load(struct db *db, long long number, long long position, long long limit,
                             struct steps *steps, struct error *err);

/* The same, saying where each was: of a run that was thinned (db/runs/thinning.h) there are gaps.
 * There is room for `limit` positions, and there were no steps before. */
MUST_USE bool step_rows_load_placed(struct db *db, long long number,
                                    const struct step_range *range, struct steps *steps,
                                    long long ret_positions[], struct error *err);
