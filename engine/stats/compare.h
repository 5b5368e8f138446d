/* Compares two values: their ratio, its interval, and a verdict of three. Ratios are compared by
 * their logarithms; the last digit may differ between C libraries. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define COMPARE_MARGIN 0.03 /* a smaller difference does not matter */

/* A / B, with its 95 % interval between low and high, if known. */
struct ratio {
    bool known;
    double value, low, high;
};

/* One measured value with the 95 % interval of its own steps; low and high are 0 without one. */
struct measure {
    double value, low, high;
};

/* How much farther the interval reaches up than down, in logarithms: an idle machine may be that
 * much faster than this run (summary_widen()). More runs do not average it out. 0 without an
 * interval. */
double compare_stretch(const struct measure *measure);

/* Widens a ratio A / B of plain values by how much faster each may be. */
void compare_widen(struct ratio *ratio, double a_stretch, double b_stretch);

enum comparison {
    COMPARE_TIED, /* the data do not show which is faster */
    COMPARE_BETTER,
    COMPARE_WORSE,
};

/* The ratio of two values from their own intervals, which ignore how the next run would
 * differ. */
struct ratio compare_measures(const struct measure *a, const struct measure *b);

/* Values of independent runs, at least two each: Welch's t. */
struct ratio compare_runs(const double *a, size_t a_count, const double *b, size_t b_count);

/* Values measured in pairs, at least two pairs: common disturbances cancel out. */
struct ratio compare_pairs(const double *a, const double *b, size_t count);

/* Better if the whole interval is above 1 + margin, worse if below 1 - margin. */
enum comparison compare_judge(const struct ratio *ratio, double margin);

/* In the order of the enum, NULL-terminated. */
extern const char *const comparison_names[];

/* "cannot_be_told_apart", "better", "worse". */
const char *compare_name(enum comparison comparison);

/* The smallest difference that is usually found: margin and twice the half-width. */
double compare_detectable(const struct ratio *ratio, double margin);
