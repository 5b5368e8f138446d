/* Probabilities and quantiles of a prediction, computed exactly: what job_forecast_draw() has
 * only in its draws. */
#pragma once

#include "engine/stats/next_machine.h"
#include "engine/stats/student.h"

#include <math.h>

#define HALVINGS 80

static inline double next_machine_below(const struct next_machine *next, double logarithm)
{
    double sum = 0;

    for (size_t i = 0; i < next->count; i++) {
        const struct next_model *model = &next->models[i];
        double off = logarithm - model->centre;

        if (model->scale > 0)
            sum += model->share * student_below(off / model->scale, (double)model->degrees);
        else
            sum += off > 0 ? model->share : 0;
    }
    return sum;
}

/* The probability that the next machine reaches this many samples a second. */
static inline double next_machine_reaches(const struct next_machine *next, double speed)
{
    return speed > 0 ? 1 - next_machine_below(next, log(speed)) : 1;
}

/* The quantile of the next machine's speed, between the lowest and the highest of the models. */
static inline double next_machine_quantile(const struct next_machine *next, double share)
{
    double low = INFINITY, high = -INFINITY;

    if (!(share > 0 && share < 1))
        return NAN;
    for (size_t i = 0; i < next->count; i++) {
        const struct next_model *model = &next->models[i];
        double at =
            model->centre + model->scale * student_quantile(share, (double)model->degrees);

        low = fmin(low, at);
        high = fmax(high, at);
    }
    for (int i = 0; i < HALVINGS && low < high; i++) {
        double middle = (low + high) / 2;

        if (next_machine_below(next, middle) < share)
            low = middle;
        else
            high = middle;
    }
    return exp(high);
}
