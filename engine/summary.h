/* From the stored steps of a run to its number. */
#pragma once

#include "common/error.h"
#include "engine/steps.h"

#include <stdbool.h>

struct summary {
    long long measured_steps;   /* those after the warm-up */
    double measured_seconds;    /* their sum: the bill follows this */
    double samples_per_second;  /* all their samples / all their seconds */
    double median_step_seconds; /* the robust comparator beside it */
};

/* The first `warmup` steps are not counted. Fails when none are left. */
bool summary_compute(const struct steps *steps, size_t warmup, long long batch_size,
                     struct summary *ret_summary, struct error *err)
    __attribute__((warn_unused_result));
