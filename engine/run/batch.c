#include "engine/run/batch.h"

#include "common/order.h"

static long long trial_batch(const struct run_spec *spec)
{
    return least_of(run_spec_usual_batch(spec->workload), BATCH_TRIAL);
}

struct run_spec batch_trial(const struct run_spec *spec)
{
    struct run_spec trial = *spec;

    trial.batch_size = trial_batch(spec);
    trial.warmup_steps = 1;
    trial.steps = BATCH_TRIAL_STEPS - 1;
    trial.protocol = run_spec_default().protocol;
    return trial;
}

/* A batch twice as large takes twice as long at most, and one half as large three quarters:
 * part of a step is the same for each batch. */
static double seconds_of(double ratio, double trial_seconds)
{
    return trial_seconds * (ratio < 1 ? (1 + ratio) / 2 : ratio);
}

static double steps_of(const struct run_spec *spec)
{
    if (spec->steps == FIELD_IS_AUTO)
        return BATCH_STEPS;
    return (double)(spec->steps +
                    (spec->warmup_steps == FIELD_IS_AUTO ? BATCH_STEPS / 2 : spec->warmup_steps));
}

long long batch_choose(const struct run_spec *spec, double step_seconds, double seconds,
                       long long most)
{
    long long usual = run_spec_usual_batch(spec->workload), chosen = BATCH_LEAST;

    for (long long batch = BATCH_LEAST; batch <= usual; batch *= 2) {
        double ratio = (double)batch / (double)trial_batch(spec);

        if (steps_of(spec) * seconds_of(ratio, step_seconds) <= seconds &&
            (most < 0 || batch <= most))
            chosen = batch;
    }
    return chosen;
}
