/* The batch of a run whose spec leaves it to the machine ("auto"): the largest that still leaves
 * enough steps for an interval in the time that the run has. Pure. */
#pragma once

#include "engine/spec/run_spec.h"

#define BATCH_LEAST 2 /* ResNet-50 trains no single image */
#define BATCH_TRIAL 4 /* samples a step while a step is timed; fewer where fewer are usual */
#define BATCH_TRIAL_STEPS 3    /* the first is set-up, and not looked at */
#define BATCH_STEPS 100        /* that a run has time for, ... */
#define BATCH_STEPS_COUNTED 60 /* ... so that after its warm-up so many count */

/* The spec of the steps to time. */
struct run_spec batch_trial(const struct run_spec *spec);

/* `step_seconds` of the trial; `seconds` that the run has left; `most`: more do not fit into
 * memory, -1 where that is not known. Of 2, 4, 8 ... up to the workload's usual batch; 2 where
 * even that has too few steps. */
long long batch_choose(const struct run_spec *spec, double step_seconds, double seconds,
                       long long most);
