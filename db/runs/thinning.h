/* Of runs that ended long ago, most steps are dropped: the summary, and whatever else was
 * concluded from all of them, stays to the letter. What is left keeps its true positions. A run
 * whose checksum does not hold (db/checksum.h) stays whole. */
#pragma once

#include "db/db.h"

#define THINNING_EDGE 20    /* the first and the last so many stay */
#define THINNING_MIDDLE 160 /* and about so many of those between, evenly */
#define THINNING_KEPT                                                                            \
    (2 * THINNING_EDGE + THINNING_MIDDLE) /* at most; runs with less stay whole */
#define THINNING_RUNS 50                  /* of one transaction */

/* Whether the item at `position` of `count` stays. */
bool thinning_keeps(long long position, long long count);

/* Where a pass has come to; zeroed, it begins. */
struct thinning {
    long long before_us;          /* runs that ended earlier are thinned */
    long long now_us;             /* when that was done */
    long long ended_us, number;   /* of the run that was looked at last */
    long long runs, steps, looks; /* thinned, dropped, looked at so far */
    bool done;                    /* there was no further run */
};

/* Looks at the next runs, THINNING_RUNS at most, and thins those that are long enough, in one
 * transaction. Failed, it has changed nothing but may be asked again. */
MUST_USE bool thinning_step(struct db *db, struct thinning *thinning, struct error *err);
