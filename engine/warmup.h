/* Where a run's warm-up ends, and what its trace looks like. Looked for in windows of five steps;
 * step 0, which builds and touches everything, is always apart.
 *
 * The steps are steady when over three windows in a row (a) the windows' medians lie within a
 * tolerance and (b) there is no trend (Mann-Kendall, p > 0.1). Three, because one flat pair says
 * little. The tolerance is 1 %, or what the noise of the steps themselves explains: the medians
 * of five steps scatter by about half of the steps' own scatter, and with 1 or 2 % alone a noisy
 * but steady machine would hardly ever pass (warmup_test.c shows both). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define WARMUP_WINDOW 5
#define WARMUP_STEPS_MAX 60
#define WARMUP_NS_MAX (120 * 1000000000LL)

struct warmup {
    bool decided; /* enough was seen to know, or the limits above are reached */
    bool steady;  /* found; otherwise it was given up */
    size_t steps; /* that are not to be counted; where undecided, all there are */
};

/* Looks at the steps seen so far; the answer for more steps that begin with these, once decided,
 * is the same. */
struct warmup warmup_detect(const long long *nanoseconds, size_t count);

/* After Barrett and others (2017). */
enum trace_class { TRACE_FLAT, TRACE_WARM_UP, TRACE_SLOW_DOWN, TRACE_NO_STEADY_STATE };

/* Of the whole trace, from its `first` measured step to the one before `end`. A slow-down, or a
 * speed-up (then it is a warm-up still), is a difference between the halves of the measured steps
 * of more than 2 % that batch means put beyond doubt. */
enum trace_class warmup_classify(const long long *nanoseconds, size_t first, size_t end,
                                 bool steady);

/* "flat", "warm_up", "slow_down", "no_steady_state". */
const char *trace_class_name(enum trace_class trace);
