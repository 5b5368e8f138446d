/* How near a run is to its machine's limits: the roof. Pure, from the stored engine details and
 * the means of the measured steps.
 *
 * Multiply-adds are counted by the definition of convolutions and linear layers, forward and
 * backward; an algorithm that needs fewer (Winograd's, or one product for all places of a token)
 * gets nearer to the roof, or above it.
 * What else a step does (batch-norm, the update) counts as time without multiply-adds. The peak
 * is what the engine has measured of this machine in the same run; without that there is no
 * share. */
#pragma once

#include "engine/protocol/details.h"
#include "engine/stats/summary.h"

#define ROOFLINE_PHASES_MAX 6
#define ROOFLINE_MISSING_MAX 4

struct roofline_inputs {
    struct engine_details details;
    bool split_known;
    struct split_seconds split; /* the mean of the measured steps, as is ... */
    double step_seconds;        /* ... this; above 0 */
    long long batch_size;
};

/* 0: unknown, except for the seconds. */
struct roofline_part {
    const char *name; /* "input", "forward", "backward", "update", "communication", "other" */
    double seconds;
    double multiply_adds;
    double multiply_adds_per_second;
    double share; /* of the peak */
};

struct roofline {
    double peak_multiply_adds_per_second; /* of all threads together */
    double peak_read_bytes_per_second;    /* likewise, from memory */
    int phase_count;                      /* 0 if the engine reports no split */
    struct roofline_part
        phases[ROOFLINE_PHASES_MAX]; /* their sum is the step, within a thousandth */
    struct roofline_part step;
    /* Lower bound of a step's memory traffic, so its share of the peak is a lower bound too. */
    double step_bytes, step_bytes_per_second, memory_share;
    int missing_count; /* a sentence for each unknown */
    const char *missing[ROOFLINE_MISSING_MAX];
};

void roofline_compute(const struct roofline_inputs *inputs, struct roofline *ret_roofline);
