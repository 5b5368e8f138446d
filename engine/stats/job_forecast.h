/* How long a job will take on a machine: not one number but many draws of it, from what was
 * measured, from how machines of a type differ, and from interruptions. Pure; the same question
 * has the same answer everywhere, for the draws come from a fixed seed. 2,000 draws take about
 * 20 us, so draw for the rows that are shown, not for every row of a comparison. */
#pragma once

#include "engine/stats/next_machine.h"

#include <stdbool.h>
#include <stddef.h>

#define FORECAST_DRAWS 2000

/* What is known of the machine's speed and fate. */
struct forecast_inputs {
    const double *speeds;  /* measured values, samples a second: drawn one at a time */
    size_t count;          /* at least 1 */
    double value_spread;   /* standard deviation of the logarithm of one value */
    double machine_spread; /* the same between machines of the type, where too few were seen */
    double interruptions;  /* an hour; 0: never */
    double checkpoint_seconds, restart_seconds; /* what a checkpoint takes; a restart */
    /* Borrowed; where not NULL, speeds are drawn from this prediction instead, and the first four
     * members are not read. The job is to run on a machine that is rented anew: a measured speed
     * is not drawn, because the next machine is another one. */
    const struct next_machine *next;
};

/* Young's rule of thumb: how often to save, and the share of time that is lost. */
struct checkpointing {
    double interval_hours; /* sqrt(2 checkpoint / rate); infinite where nothing interrupts */
    double waste;          /* checkpoint / interval + rate * (interval / 2 + restart) */
};
struct checkpointing checkpointing_best(double interruptions_per_hour, double checkpoint_seconds,
                                        double restart_seconds);

struct job_forecast {
    double hours[FORECAST_DRAWS]; /* ascending */
};

/* Fills in the draws for so many samples. Each draw: a measured speed, its own noise, one factor
 * of the machine, and as many interruptions as a Poisson process has in that time, each of which
 * costs a restart and the work since the last checkpoint (uniform in the best interval); where
 * there are any, the checkpoints take their time too. Where a speed is not above 0, or more is
 * lost than is done, the hours are infinite. */
void job_forecast_draw(const struct forecast_inputs *forecast_inputs, double samples,
                       struct job_forecast *ret_forecast);

/* The share of draws that end within so many hours; NaN of NaN. */
double job_forecast_share(const struct job_forecast *forecast, double hours);

/* The smallest of the hours by which that share of draws has ended; share in (0, 1], NaN of
 * another. */
double job_forecast_quantile(const struct job_forecast *forecast, double share);
