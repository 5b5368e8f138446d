/* Whether the steps of a trace have one level. Compares the earlier and the later part at the
 * split between batches of five steps where they differ most, relative to the noise. */
#pragma once

#include <stddef.h>

#define DRIFT_BATCH 5
#define DRIFT_SEEN 2.7 /* the score from which a drift counts as more than noise */

struct drift {
    double change; /* of the step time, relative; positive: the later part is slower */
    double off;    /* difference between the mean of all steps and of the later part, relative and
                    * never negative: the error if only the later part is true */
    double score;  /* of the difference, in standard errors. Noise alone exceeds DRIFT_SEEN in
                    * one flat trace of eight, and 5 hardly ever */
};

/* Noise is measured around the two levels, and steps that resemble their neighbours count for
 * less (first-order autoregression). All 0 for fewer than two batches. */
struct drift drift_of(const long long *nanoseconds, size_t count);

/* The same with the stalls taken out (stall.h). */
struct drift drift_without_stalls(const long long *nanoseconds, size_t count);

/* How many steps with this lag-1 autocorrelation are worth one independent step for the mean. */
double drift_inflation(double lag1);
