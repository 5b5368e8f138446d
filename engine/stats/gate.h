/* May a change pass? A run, or several of the same, beside a baseline: the ratio of their
 * throughputs with its interval, and a verdict of three. A gate that cries wolf is switched off,
 * so it fails only where the interval lies wholly beyond the margin. Pure. */
#pragma once

#include "engine/stats/compare.h"

#include <stdbool.h>
#include <stddef.h>

enum gate_verdict {
    GATE_PASS,        /* as fast as before or faster: the interval lies above 1 - margin */
    GATE_FAIL,        /* slower by more than the margin, surely */
    GATE_CANNOT_TELL, /* too little is known, or the interval holds 1 - margin */
};

/* What the interval rests on. */
enum gate_level {
    GATE_STEPS, /* one run each: says nothing of how the next run would differ */
    GATE_RUNS,  /* how runs differ is known */
    GATE_PAIRS, /* measured side by side */
};

/* Values of runs, and of a single run the interval of its own steps. */
struct gate_side {
    const double *values; /* samples a second */
    size_t count;
    double stretch;      /* how much faster they may be: the mean of compare_stretch() */
    struct measure only; /* where count is 1 */
};

struct gate_look {
    enum gate_level level;
    struct ratio ratio; /* candidate / baseline */
    enum gate_verdict verdict;
    double detectable; /* a slowdown of this share would mostly be found; NaN unknown */
    const char
        *because; /* static, one clause: why it cannot decide, or what the verdict rests on */
};

/* Six runs or more on the baseline's side make a prediction interval for a single candidate (its
 * t times s * sqrt(1 + 1/n)); two or more on each side are compared by Welch's t; less can pass,
 * but never fail. */
#define GATE_BASELINE_MIN 6
void gate_look(const struct gate_side *candidate, const struct gate_side *baseline, double margin,
               struct gate_look *ret_look);

/* The second, independent look: candidate and baseline in turns on one machine, as many of each.
 * What disturbed both alike cancels out: the difference of their stretches counts. */
void gate_look_at_pairs(const struct gate_side *candidate, const struct gate_side *baseline,
                        double margin, struct gate_look *ret_look);

/* Fails only when both looks fail; where the second contradicts the first, the gate cannot
 * decide. */
enum gate_verdict gate_confirm(const struct gate_look *first, const struct gate_look *second);

/* In the order of the enums, NULL-terminated. */
extern const char *const gate_verdict_names[], *const gate_level_names[];
