/* Chooses the batch of a run with batch_size "auto": the largest that leaves enough steps for an
 * interval in the run's time. Pure. */
#pragma once

#include "engine/spec/run_spec.h"

#define BATCH_LEAST 2       /* ResNet-50 cannot train a single image */
#define BATCH_TRIAL 4       /* samples a step in the trial; fewer if the usual batch is smaller */
#define BATCH_TRIAL_STEPS 3 /* the first is set-up, and ignored */
#define BATCH_STEPS 100     /* steps that a run must have time for, ... */
#define BATCH_STEPS_COUNTED 60 /* ... so that this many count after its warm-up */

/* The spec of the trial. */
struct run_spec batch_trial(const struct run_spec *spec);

/* `step_seconds` of the trial; `seconds` left for the run; `most`: the largest batch that fits
 * into memory, -1 if unknown. Returns 2, 4, 8 ... up to the workload's usual batch; 2 if even
 * that has too few steps. */
long long batch_choose(const struct run_spec *spec, double step_seconds, double seconds,
                       long long most);
