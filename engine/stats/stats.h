/* Small statistics over durations. Only + - * / and square roots, in a fixed order: what is
 * printed must be the same on every machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define Z_95 1.959963984540054 /* of the normal distribution, two-sided 95 % */

/* The rank-th smallest, from 0; the items are rearranged. */
long long stats_select(long long *items, size_t count, size_t rank);

/* Of an even number the mean of the middle two. The items are rearranged; count >= 1. */
double stats_median(long long *items, size_t count);

double stats_mean(const double *values, size_t count);

/* Of the sample (divided by count - 1); 0 for fewer than 2. */
double stats_variance(const double *values, size_t count);

/* Autocorrelation at lag 1; 0 where nothing varies. */
double stats_lag1(const double *values, size_t count);

/* Student's t, two-sided 95 %. */
double stats_t95(size_t degrees);

/* Ranks from 1 of the order statistics that enclose the median with 95 %; false below 6, where
 * there are none. */
bool stats_median_ranks(size_t count, size_t *ret_low, size_t *ret_high);

/* Wilson's 95 % interval of a share, `hits` of `trials`. */
void stats_wilson(long long hits, long long trials, double *ret_low, double *ret_high);

/* A generator of small state; the same seed gives the same numbers everywhere. */
struct chance {
    uint64_t state;
};

/* From a text, such as a run's name. */
struct chance chance_from(const char *text);

/* SplitMix64 (Steele, Lea and Flood, 2014). Here, for a bootstrap draws tens of thousands. */
static inline uint64_t chance_next(struct chance *chance)
{
    uint64_t mixed = chance->state += 0x9e3779b97f4a7c15u;

    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

/* 0 .. limit - 1, each as likely as the other. */
static inline size_t chance_below(struct chance *chance, size_t limit)
{
    /* The high half of a product: no division, and a bias of limit / 2^32 at most. */
    return (size_t)(((chance_next(chance) >> 32) * (uint64_t)limit) >> 32);
}
