/* Drops most steps of runs that ended long ago. The summary, and everything else computed from
 * all steps, stays unchanged; the remaining steps keep their positions. A run whose checksum does
 * not match (db/checksum.h) is not thinned. */
#pragma once

#include "db/db.h"

#define THINNING_EDGE 20    /* this many stay at each end */
#define THINNING_MIDDLE 160 /* and about this many between, evenly spaced */
#define THINNING_KEPT                                                                            \
    (2 * THINNING_EDGE + THINNING_MIDDLE) /* at most; shorter runs are left whole */
#define THINNING_RUNS 50                  /* per transaction */

/* Whether the item at `position` of `count` stays. */
bool thinning_keeps(long long position, long long count);

/* Progress of a pass; zeroed at the start. */
struct thinning {
    long long before_us;          /* runs that ended earlier are thinned */
    long long now_us;             /* the time that is stored as thinned_us */
    long long ended_us, number;   /* of the last run checked */
    long long runs, steps, looks; /* thinned, dropped, checked so far */
    bool done;                    /* no further run */
};

/* Checks the next runs, THINNING_RUNS at most, and thins the long ones, in one transaction. On
 * failure nothing has changed; it may be called again. */
MUST_USE bool thinning_step(struct db *db, struct thinning *thinning, struct error *err);
