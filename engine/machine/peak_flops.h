/* Estimated peak of a processor, from its cores, the measured clock, and the operations per core
 * and cycle. Always shown with that assumption. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>

struct peak_flops {
    double achieved_tflops; /* from the measured throughput */
    double peak_tflops;
    double share;              /* achieved / peak */
    double operations_a_cycle; /* per core: the assumption */
};

/* The input from a run. `isa` is the one really used. */
struct effort {
    const char *isa, *precision;
    double cores, hertz, multiply_adds; /* per sample, forward; 0 unknown */
    double samples_per_second;
};

/* A training step takes three forward passes, a multiply-add is two operations. False if
 * something is unknown. */
MUST_USE bool peak_flops_estimate(const struct effort *effort, struct peak_flops *ret_peak);
