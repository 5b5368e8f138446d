/* The verdict of the CI gate. Compares one or several equal runs with a baseline: the ratio of
 * throughputs with its interval, and a verdict of three. A gate with false alarms is switched
 * off, so it fails only if the whole interval is beyond the margin. Pure. */
#pragma once

#include "engine/stats/compare.h"

#include <stdbool.h>
#include <stddef.h>

enum gate_verdict {
    GATE_PASS,        /* as fast or faster: the interval is above 1 - margin */
    GATE_FAIL,        /* surely slower by more than the margin */
    GATE_CANNOT_TELL, /* too few data, or the interval contains 1 - margin */
};

/* The data behind the interval. */
enum gate_level {
    GATE_STEPS, /* one run each: ignores how the next run would differ */
    GATE_RUNS,  /* the spread between runs is known */
    GATE_PAIRS, /* measured side by side */
};

/* Values of runs; for a single run, the interval of its own steps. */
struct gate_side {
    const double *values; /* samples a second */
    size_t count;
    double stretch;      /* how much faster they may be: the mean of compare_stretch() */
    struct measure only; /* if count is 1 */
};

struct gate_look {
    enum gate_level level;
    struct ratio ratio; /* candidate / baseline */
    enum gate_verdict verdict;
    double detectable; /* smallest slowdown that is usually found; NaN unknown */
    const char
        *because; /* static, one clause: why it cannot decide, or the basis of the verdict */
};

/* Six runs or more on the baseline's side make a prediction interval for a single candidate (its
 * t times s * sqrt(1 + 1/n)); two or more on each side are compared by Welch's t; less can pass,
 * but never fail. */
#define GATE_BASELINE_MIN 6
void gate_look(const struct gate_side *candidate, const struct gate_side *baseline, double margin,
               struct gate_look *ret_look);

/* The second, independent look: candidate and baseline alternate on one machine, equally often.
 * Disturbances of both cancel out; the difference of their stretches counts. */
void gate_look_at_pairs(const struct gate_side *candidate, const struct gate_side *baseline,
                        double margin, struct gate_look *ret_look);

/* Fails only if both looks fail; if the second contradicts the first, the gate cannot decide. */
enum gate_verdict gate_confirm(const struct gate_look *first, const struct gate_look *second);

/* In the order of the enums, NULL-terminated. */
extern const char *const gate_verdict_names[], *const gate_level_names[];
