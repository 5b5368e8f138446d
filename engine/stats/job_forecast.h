/* Forecasts how long a job takes on a machine: many draws, from measured speeds, the spread
 * between machines of a type, and interruptions. Pure; the same question has the same answer
 * everywhere, because the seed is fixed. 2,000 draws take about 20 us, so draw for the shown rows
 * only, not for every row of a comparison. */
#pragma once

#include "engine/stats/next_machine.h"

#include <stdbool.h>
#include <stddef.h>

#define FORECAST_DRAWS 2000

/* The machine's speed and risk of interruption. */
struct forecast_inputs {
    const double *speeds;  /* measured values, samples a second: drawn one at a time */
    size_t count;          /* at least 1 */
    double value_spread;   /* standard deviation of the logarithm of one value */
    double machine_spread; /* the same between machines of the type, if too few were measured */
    double interruptions;  /* an hour; 0: never */
    double checkpoint_seconds, restart_seconds; /* duration of a checkpoint, and of a restart */
    /* Borrowed; if not NULL, speeds are drawn from this prediction, and the first four members
     * are ignored: for a newly rented machine, which is not one of those measured. */
    const struct next_machine *next;
};

/* Young's rule of thumb: the checkpoint interval, and the share of lost time. */
struct checkpointing {
    double interval_hours; /* sqrt(2 checkpoint / rate); infinite without interruptions */
    double waste;          /* checkpoint / interval + rate * (interval / 2 + restart) */
};
struct checkpointing checkpointing_best(double interruptions_per_hour, double checkpoint_seconds,
                                        double restart_seconds);

struct job_forecast {
    double hours[FORECAST_DRAWS]; /* ascending */
};

/* Fills in the draws for a number of samples. Each draw has a measured speed, its own noise, one
 * factor of the machine, and Poisson interruptions; each interruption costs a restart and the
 * work since the last checkpoint (uniform in the best interval), and checkpoints take their time
 * too. The hours are infinite if a speed is not above 0, or losses exceed progress. */
void job_forecast_draw(const struct forecast_inputs *forecast_inputs, double samples,
                       struct job_forecast *ret_forecast);

/* No draw has fewer hours: tells without drawing, in a hundredth of the time, that none ends
 * within a limit. */
double job_forecast_least(const struct forecast_inputs *forecast_inputs, double samples);

/* The share of draws that end within these hours; NaN for NaN. */
double job_forecast_share(const struct job_forecast *forecast, double hours);

/* The hours within which that share of draws has ended; share in (0, 1], NaN for another. */
double job_forecast_quantile(const struct job_forecast *forecast, double share);
