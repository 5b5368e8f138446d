/* Keeps the database in order while nothing else is to do: thins old runs, looks through a large
 * file for damage, and lets SQLite tidy up. In small pieces, so that a run that is queued
 * meanwhile waits for one of them at most. The runner's thread calls it, and only between runs.
 */
#pragma once

#include "db/thinning.h"
#include "db/verify.h"
#include "server/base/config.h"
#include "server/base/metrics.h"

enum maintenance_task { MAINTENANCE_THIN, MAINTENANCE_VERIFY, MAINTENANCE_TIDY };

struct maintenance {
    long long keep_steps_days;
    struct metrics *metrics;   /* or NULL */
    struct verify_watch watch; /* told of the longest piece, which is ended for a run */
    long long due_ns;
    enum maintenance_task task; /* the next one */
    bool begun;                 /* a pass is under way */
    long long began_ns;
    struct thinning thinning;
};

/* `now_ns` is monotonic: the first pass is some time from now. What is needed is set. */
void maintenance_start(struct maintenance *maintenance, long long now_ns);

/* Something else was done until now. */
void maintenance_wait(struct maintenance *maintenance, long long now_ns);

/* The next piece, when it is due. What fails is told to the log and left for the next pass. */
void maintenance_work(struct maintenance *maintenance, struct db *db, long long now_ns,
                      long long calendar_us);
