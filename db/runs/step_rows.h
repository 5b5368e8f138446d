/* Steps as rows, written in batches during a run. */
#pragma once

#include "db/db.h"
#include "engine/trace/steps.h"

struct step_range {
    long long position, limit;
};

/* Stores `count` steps of run `number`, the first at `position`, in one transaction that does not
 * wait for the disk: a power cut may lose the last seconds of a run, but it also ends the run. */
MUST_USE bool step_rows_append(struct db *db, long long number, long long position,
                               const struct step *steps, size_t count, struct error *err);

/* The same, in the caller's transaction, for a run with a correct step count. */
MUST_USE bool step_rows_put(struct db *db, long long number, long long position,
                            const struct step *steps, size_t count, struct error *err);

/* Adds the steps from `position` on to *steps, at most `limit`: from rows, or else from the run's
 * trace (db/runs/traces.h). */
MUST_USE bool step_rows_load(struct db *db, long long number, long long position, long long limit,
                             struct steps *steps, struct error *err);

/* The same, with the position of each: a thinned run (db/runs/thinning.h) has gaps. ret_positions
 * has room for `limit`, and *steps is empty before. */
MUST_USE bool step_rows_load_placed(struct db *db, long long number,
                                    const struct step_range *range, struct steps *steps,
                                    long long ret_positions[], struct error *err);
