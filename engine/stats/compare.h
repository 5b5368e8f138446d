/* Two things beside each other: the ratio of their values, how sure it is, and a verdict of
 * three. Ratios are compared by their logarithms; the last digit may differ between C libraries.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define COMPARE_MARGIN 0.03 /* a smaller difference does not matter */

/* A / B, with 95 % between low and high; known only where there was enough to say. */
struct ratio {
    bool known;
    double value, low, high;
};

/* One measured value with the 95 % interval of its own steps; low and high 0 where it has none.
 */
struct measure {
    double value, low, high;
};

/* How much farther the interval reaches up than down, by its logarithms: so much faster an idle
 * machine may be than this run shows (summary_widen()). It is no noise that more runs average
 * out. 0 without an interval. */
double compare_stretch(const struct measure *measure);

/* Widens a ratio of A / B that was made of values alone by how much faster each may be. */
void compare_widen(struct ratio *ratio, double a_stretch, double b_stretch);

enum comparison {
    COMPARE_TIED, /* the data do not show which is faster */
    COMPARE_BETTER,
    COMPARE_WORSE,
};

/* Two values alone: as sure as their own intervals make them, which is to say nothing of how the
 * next run would differ. */
struct ratio compare_measures(const struct measure *a, const struct measure *b);

/* Values of independent runs, two of each at least: Welch's t. */
struct ratio compare_runs(const double *a, size_t a_count, const double *b, size_t b_count);

/* Values measured side by side, pair by pair, two pairs at least: what both saw cancels out. */
struct ratio compare_pairs(const double *a, const double *b, size_t count);

/* Better when all of the interval is above 1 + margin, worse when below 1 - margin. */
enum comparison compare_judge(const struct ratio *ratio, double margin);

/* In the order of the enum, NULL-terminated. */
extern const char *const comparison_names[];

/* "cannot_be_told_apart", "better", "worse". */
const char *compare_name(enum comparison comparison);

/* The share by which a true value must differ to be found mostly: margin and twice the
 * half-width. */
double compare_detectable(const struct ratio *ratio, double margin);

/* A gate that cries wolf is soon ignored: it fails only when two independent looks agree. */
bool compare_gate_fails(const struct ratio *first, const struct ratio *second, double margin);
