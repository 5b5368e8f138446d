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

#define WARMUP_STEPS_MIN 16 /* step 0 and three batches: fewer are not enough to decide */

struct warmup {
    bool decided;       /* there were enough steps to look for a cut */
    bool settled;       /* the cut is early and only noise differs after it: more steps will not
                         * move it. Until then a run continues */
    bool steady;        /* the number is usable: differences are noise, or at most 2 % */
    size_t steps;       /* not counted; all of them if undecided */
    struct drift drift; /* of the steps after them */
};

/* Constant memory, linear time. */
struct warmup warmup_detect(const long long *nanoseconds, size_t count);

/* The same for a warm-up of `steps` from the spec: the cut is given, the rest is judged. Decided
 * as soon as the warm-up is over; steady or settled only after two more batches. */
struct warmup warmup_fixed(const long long *nanoseconds, size_t count, size_t steps);

/* After Barrett and others (2017). */
enum trace_class { TRACE_FLAT, TRACE_WARM_UP, TRACE_SLOW_DOWN, TRACE_NO_STEADY_STATE };

/* A slow-down, or a speed-up (still warming up), is a drift of more than 2 % that noise does not
 * explain, whatever it does to the mean. */
enum trace_class warmup_classify(const struct warmup *warmup);

/* "flat", "warm_up", "slow_down", "no_steady_state"; NULL-terminated. */
extern const char *const trace_class_names[];
