/* 95 % intervals of a run's throughput and of its median step. Steps are correlated with their
 * neighbours, so both work on batches. A run of fewer than 90 steps has fewer batches of ten, not
 * shorter ones, and uses Student's t: shorter batches would be correlated too, and the interval
 * too narrow. */
#pragma once

#include "engine/stats/stats.h"

#include <stdbool.h>
#include <stddef.h>

/* The 95 % interval, if known. */
struct range {
    bool known;
    double low, high;
};

#define INTERVAL_STEPS_MIN 20 /* fewer have no interval of their mean */

/* Mean step. */
struct mean_interval {
    struct range mean;      /* nanoseconds */
    size_t batches, length; /* of steps */
    double lag1;            /* of the batches */
    double memory;          /* lag 1 of the steps, at its upper limit */
    double drift_percent;   /* the interval was widened by this on each side */
};

/* The wider one of two intervals. Batch means: batches of ten steps, longer while they are still
 * correlated (lag 1 >= 0.2) and there are nine or more of them; about a hundred at most. And
 * first-order autoregression: as many independent steps as the steps are worth at the upper end
 * of the 95 % interval of their lag 1, since a run that stops when its interval is narrow stops
 * where that was estimated too low. Where the steps drift by more than noise explains (drift.h),
 * the interval is wider by as much as that moves the mean. There is none with fewer than
 * INTERVAL_STEPS_MIN steps, nor where it would reach 0. */
void interval_of_mean(const long long *nanoseconds, size_t count,
                      struct mean_interval *ret_interval);

struct median_interval {
    struct range median; /* nanoseconds */
    size_t block;        /* steps */
};

#define BOOTSTRAP_RESAMPLES 2000

/* Median step by moving-block bootstrap. What is resampled is the share of steps at or below the
 * median; the interval lies between the steps at the shares that this leaves open (Woodruff), and
 * is never narrower than the order statistics of independent steps. One method serves 6 steps and
 * a million, for which it takes about 30 ms. With fewer than 6 there is
 * none. `items` are the same steps, to be rearranged. */
void interval_of_median(const long long *nanoseconds, long long *items, size_t count,
                        struct chance chance, struct median_interval *ret_interval);

/* Autocorrelation of the steps themselves, at lag 1. */
double interval_lag1(const long long *nanoseconds, size_t count);
