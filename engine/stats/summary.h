/* From the stored steps of a run to its number, and how sure that is. Pure: the same steps give
 * the same summary, to the last bit, on every machine. summary_text.h writes it. */
#pragma once

#include "common/error.h"
#include "engine/stats/interval.h"
#include "engine/stats/warmup.h"
#include "engine/trace/steps.h"

#include <stdbool.h>

/* What of a run, besides its steps, the summary depends on. */
struct summary_rules {
    long long warmup_steps, steps; /* as in the spec: a number, or FIELD_IS_AUTO */
    long long batch_size;
    long long setup_ns; /* from the worker's start to its first step's */
    const char *run_id; /* seeds the resampling */
};

/* Means of the measured steps, in seconds. */
struct split_seconds {
    double input, forward, backward, update, communication;
};

struct summary {
    enum trace_class trace;
    bool steady;
    double change_percent; /* of the step time, from the earlier to the later part (drift.h) */
    long long steps;       /* all of them */
    long long first_measured, measured_steps;
    double init_seconds;       /* building everything, and step 0 */
    double warmup_seconds;     /* the other steps that are not counted */
    double measured_seconds;   /* the sum of those that are: the bill follows this */
    double samples_per_second; /* all their samples / all their seconds */
    struct range throughput;   /* samples a second */
    double half_width_percent; /* as the steps make it; 0 where it is not known */
    long long batches, batch_steps;
    double batch_lag1;
    double memory, drift_percent;   /* of the interval, as in interval.h */
    double disturbance_percent;     /* that its upper end was raised by */
    double idle_samples_per_second; /* of the same machine undisturbed, about */
    double median_step_seconds;     /* the robust comparator */
    struct range median;            /* seconds */
    long long block_steps;
    double lag1, cov; /* of the measured steps; their standard deviation / mean */
    double outlier_low_seconds, outlier_high_seconds; /* steps beyond are outliers: marked, */
    long long outliers;                               /* never dropped */
    double outlier_time_share;
    bool skewed; /* mean and median step differ by more than 2 %: there were stalls */
    bool split_known;
    struct split_seconds split;
    double first_loss, last_loss; /* means of the first and the last fifth of all steps */
};

/* The warm-up is left out: detected where it is FIELD_IS_AUTO. A fixed number of steps is counted
 * after it, and what may follow is not; a detected warm-up never takes a step of that number, and
 * `steady` tells what remained in it. Fails when none is left to count. */
MUST_USE bool summary_compute(const struct steps *steps, const struct summary_rules *rules,
                              struct summary *ret_summary, struct error *err);

/* Its interval reaches as far as the machine would have been faster without what others did to
 * it; `idle_speed` and `idle_speed_max` are the verdict's (validity.h). */
void summary_widen(struct summary *summary, double idle_speed, double idle_speed_max);
