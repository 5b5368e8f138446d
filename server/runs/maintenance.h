/* Maintains the database while no run is queued: thins old runs, verifies the file, lets SQLite
 * optimize. It works in small pieces, so that a newly queued run waits for one piece at most.
 * Only the runner's thread calls it, between runs. */
#pragma once

#include "db/runs/thinning.h"
#include "db/verify.h"
#include "server/base/config.h"
#include "server/base/metrics.h"

enum maintenance_task { MAINTENANCE_THIN, MAINTENANCE_VERIFY, MAINTENANCE_TIDY };

struct maintenance {
    long long keep_steps_days;
    struct metrics *metrics; /* or NULL */
    struct verify_watch
        watch; /* called around the longest piece, so that a run can interrupt it */
    long long due_ns;
    enum maintenance_task task; /* the next one */
    bool begun;                 /* a pass is under way */
    long long began_ns;
    struct thinning thinning;
};

/* Plans the first pass; `now_ns` is monotonic. The caller has set the fields above `due_ns`. */
void maintenance_start(struct maintenance *maintenance, long long now_ns);

/* Postpones maintenance: a run has just ended. By 20 seconds, less in haste (common/haste.h). */
void maintenance_wait(struct maintenance *maintenance, long long now_ns);

/* Does the next piece, if it is due. A failure is logged, and the next pass tries again. */
void maintenance_work(struct maintenance *maintenance, struct db *db, long long now_ns,
                      long long calendar_us);
