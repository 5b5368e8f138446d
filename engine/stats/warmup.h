/* Where a run's warm-up ends, and whether what follows is steady.
 *
 * Step 0, which builds and touches everything, never counts. Of the rest, in batches of five, the
 * cut is where the standard error of what remains is smallest (MSER-5: White, 1997), among the
 * first half, and then two thirds as far again: the smallest error leaves the tail of an
 * exponential warm-up in. Where there are stalls (stall.h), the cut is searched with and without
 * them, and the later one counts. A batch behind the cut that is slow from its first step on
 * belongs to the warm-up. What remains is held against itself by drift.h, without its stalls. The
 * whole trace is looked at each time, so a cut may move while a run goes on;
 * tests/engine/stats/steadiness_test.c and plateau_test.c count how often both kinds of error
 * happen. */
#pragma once

#include "engine/stats/drift.h"

#include <stdbool.h>

#define WARMUP_STEPS_MIN 16 /* step 0 and three batches: fewer decide nothing */

struct warmup {
    bool decided;       /* there were enough steps to look for a cut */
    bool settled;       /* the cut lies early and noise alone explains what differs after it:
                         * going on would not move it. Until then a run goes on */
    bool steady;        /* the number may be used: what differs is noise, or at most 2 % */
    size_t steps;       /* that are not to be counted; where undecided, all there are */
    struct drift drift; /* of the steps after them */
};

/* Takes constant memory and time in proportion to the steps. */
struct warmup warmup_detect(const long long *nanoseconds, size_t count);

/* The same for a warm-up of `steps` that the spec fixes: the cut is given, the rest is judged.
 * Decided as soon as it is over, steady or settled only with two batches after it. */
struct warmup warmup_fixed(const long long *nanoseconds, size_t count, size_t steps);

/* After Barrett and others (2017). */
enum trace_class { TRACE_FLAT, TRACE_WARM_UP, TRACE_SLOW_DOWN, TRACE_NO_STEADY_STATE };

/* A slow-down, or a speed-up (then it is warming up still), is a drift of more than 2 % that
 * noise does not explain, whether or not it moves the mean so much. */
enum trace_class warmup_classify(const struct warmup *warmup);

/* "flat", "warm_up", "slow_down", "no_steady_state". */
const char *trace_class_name(enum trace_class trace);
