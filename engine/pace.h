/* How long a run goes on, and how far it has come. Pure arithmetic over the steps seen so far. */
#pragma once

#include "engine/run_spec.h"

enum pace_verdict {
    PACE_GO_ON,
    PACE_ALL_STEPS, /* the spec's own number of steps is reached */
    PACE_ENOUGH,    /* "auto": enough steps and enough seconds were measured */
    PACE_TIME_UP,   /* max_seconds is over */
};

struct pace {
    long long warmup, wanted; /* steps; wanted is FIELD_IS_AUTO while it is open */
    long long batch_size, max_ns;
    long long steps;       /* seen, warm-up included */
    long long measured_ns; /* of the steps after the warm-up */
    long long warmup_ns;
};

/* What a watcher is told while the run is under way. */
struct progress {
    long long steps_done, steps_planned; /* planned: an estimate while steps is "auto" */
    double samples_per_second;           /* so far; 0 before the first step */
    double elapsed_seconds, seconds_left;
};

void pace_start(struct pace *pace, const struct run_spec *spec);

/* Warm-up that a spec comes to, with "auto" resolved. */
long long pace_warmup_steps(const struct run_spec *spec);

/* The most step events the spec allows. */
long long pace_steps_max(const struct run_spec *spec);

void pace_step(struct pace *pace, long long nanoseconds);

/* `elapsed_ns` since the worker was started. */
enum pace_verdict pace_judge(const struct pace *pace, long long elapsed_ns);
struct progress pace_progress(const struct pace *pace, long long elapsed_ns);

/* "all_steps", "enough" or "time_up". */
const char *pace_verdict_name(enum pace_verdict verdict);
