/* Computes a run's number and its interval from the stored steps. Pure: the same steps give the
 * same summary, to the last bit, on every machine. summary_text.h writes it. */
#pragma once

#include "common/error.h"
#include "engine/stats/interval.h"
#include "engine/stats/warmup.h"
#include "engine/trace/steps.h"

#include <stdbool.h>

/* What the summary depends on, in addition to the steps. */
struct summary_rules {
    long long warmup_steps, steps; /* as in the spec: a number, or FIELD_IS_AUTO */
    long long batch_size;
    long long setup_ns; /* from the worker's start to its first step */
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
    double init_seconds;       /* set-up, and step 0 */
    double warmup_seconds;     /* the other uncounted steps */
    double measured_seconds;   /* sum of the counted steps: the basis of costs */
    double samples_per_second; /* all their samples / all their seconds */
    struct range throughput;   /* samples a second */
    double half_width_percent; /* from the steps; 0 unknown */
    long long batches, batch_steps;
    double batch_lag1;
    double memory, drift_percent;   /* of the interval, as in interval.h */
    double disturbance_percent;     /* its upper end was raised by this */
    double idle_samples_per_second; /* estimate for the same machine without disturbance */
    double median_step_seconds;     /* robust alternative to the mean */
    struct range median;            /* seconds */
    long long block_steps;
    double lag1, cov; /* of the measured steps; their standard deviation / mean */
    double outlier_low_seconds, outlier_high_seconds; /* steps beyond are outliers: marked, */
    long long outliers;                               /* never dropped */
    double outlier_time_share;
    bool skewed; /* mean and median step differ by more than 2 %: steps stalled */
    bool split_known;
    struct split_seconds split;
    double first_loss, last_loss; /* means of the first and the last fifth of all steps */
};

/* Leaves the warm-up out; detects it if warmup_steps is FIELD_IS_AUTO. If the number of steps is
 * fixed, exactly that many are counted after the warm-up, and later ones ignored; a detected
 * warm-up never takes any of them, and `steady` tells whether some remained in it. Fails if no
 * step is left to count. */
MUST_USE bool summary_compute(const struct steps *steps, const struct summary_rules *rules,
                              struct summary *ret_summary, struct error *err);

/* Raises the interval's upper end to the speed of an undisturbed machine; `idle_speed` and
 * `idle_speed_max` are from the verdict (validity.h). */
void summary_widen(struct summary *summary, double idle_speed, double idle_speed_max);
