/* Basic statistics of durations. Only + - * / and square roots, in a fixed order, so that results
 * are the same on every machine. */
#pragma once

#include "common/chance.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAD_TO_SIGMA 1.4826    /* standard deviations in a median distance, if normal */
#define Z_95 1.959963984540054 /* of the normal distribution, two-sided 95 % */

/* The rank-th smallest, from 0; the items are rearranged. */
long long stats_select(long long *items, size_t count, size_t rank);

/* For an even number, the mean of the middle two. The items are rearranged; count >= 1. */
double stats_median(long long *items, size_t count);

double stats_mean(const double *values, size_t count);

/* Sample variance (divided by count - 1); 0 for fewer than 2. */
double stats_variance(const double *values, size_t count);

/* Autocorrelation at lag 1; 0 if all are equal. */
double stats_lag1(const double *values, size_t count);

/* Student's t, two-sided 95 %. */
double stats_t95(size_t degrees);

/* Ranks, from 1, of the order statistics that enclose the median with 95 %; false below 6, where
 * there are none. */
bool stats_median_ranks(size_t count, size_t *ret_low, size_t *ret_high);

/* Wilson's 95 % interval of a share, `hits` of `trials`. */
void stats_wilson(long long hits, long long trials, double *ret_low, double *ret_high);
