/* What a processor could compute at best: an estimate from its cores, the clock that was seen,
 * and how many operations a core has room for in a cycle. Always shown with that assumption. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>

struct peak_flops {
    double achieved_tflops; /* of the measured throughput */
    double peak_tflops;
    double share;              /* achieved / peak */
    double operations_a_cycle; /* of a core: the assumption */
};

/* What is known of a run. `isa` is what was really used of the processor. */
struct effort {
    const char *isa, *precision;
    double cores, hertz, multiply_adds; /* of a sample, forward; 0 unknown */
    double samples_per_second;
};

/* A sample takes three times its forward pass, a multiply-add is two operations. False where
 * something is not known. */
MUST_USE bool peak_flops_estimate(const struct effort *effort, struct peak_flops *ret_peak);
