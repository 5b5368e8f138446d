/* How long a run goes on, and how far it has come. Pure arithmetic over the steps seen so far, by
 * the functions that will make the summary of them. */
#pragma once

#include "engine/run_spec.h"
#include "engine/warmup.h"

enum pace_verdict {
    PACE_GO_ON,
    PACE_ALL_STEPS,  /* the spec's own number of steps is reached */
    PACE_ENOUGH,     /* as runs of before this was "target" had it: enough steps and seconds */
    PACE_TARGET,     /* "auto": the interval is as narrow as was asked */
    PACE_TIME_UP,    /* max_seconds is over */
    PACE_DOLLARS_UP, /* max_dollars is spent */
};

struct pace {
    long long warmup_wanted, wanted; /* steps, or FIELD_IS_AUTO */
    long long batch_size, min_ns, max_ns;
    double target_percent, max_dollars, dollars_per_ns; /* the last two 0 where not known */
    long long *nanoseconds;                             /* owned: of every step */
    size_t steps, size;                                 /* seen, warm-up included */
    long long total_ns;
    struct warmup warmup;
    long long warmup_ns;       /* of the warm-up, as soon as that is decided */
    size_t interval_steps;     /* at which half_width_percent was computed */
    double half_width_percent; /* 0: not known yet */
};

/* What a watcher is told while the run is under way. */
struct progress {
    long long steps_done, steps_planned; /* planned: an estimate while steps is "auto" */
    const char *phase;                   /* "warm_up", then "measuring" */
    double samples_per_second;           /* so far; 0 before the first step */
    double half_width_percent;           /* of the 95 % interval; 0 while there is none */
    double dollars;                      /* spent so far; 0 where the price is not known */
    double elapsed_seconds, seconds_left;
};

/* `dollars_per_hour` of this machine, 0 unknown. */
void pace_start(struct pace *pace, const struct run_spec *spec, double dollars_per_hour);

/* The most step events the spec allows. */
long long pace_steps_max(const struct run_spec *spec);

/* False when memory ends. */
bool pace_step(struct pace *pace, long long nanoseconds) __attribute__((warn_unused_result));

/* `elapsed_ns` since the worker was started. */
enum pace_verdict pace_judge(const struct pace *pace, long long elapsed_ns);
struct progress pace_progress(const struct pace *pace, long long elapsed_ns);

/* "all_steps", "enough", "target", "time_up" or "dollars_up". */
const char *pace_verdict_name(enum pace_verdict verdict);

/* A zeroed pace is fine. */
void pace_free(struct pace *pace);
