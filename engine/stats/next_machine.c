#include "engine/stats/next_machine.h"

#include <assert.h>
#include <math.h>

/* Mean of the logarithms, and the sum of squared distances from it. */
static bool next_describe(const struct machine_model *model, double *ret_mean,
                          double *ret_squares)
{
    double mean = 0, squares = 0;

    for (size_t i = 0; i < model->count; i++) {
        if (!(model->speeds[i] > 0) || isinf(model->speeds[i]))
            return false;
        mean += log(model->speeds[i]) / (double)model->count;
    }
    for (size_t i = 0; i < model->count; i++)
        squares += (log(model->speeds[i]) - mean) * (log(model->speeds[i]) - mean);
    *ret_mean = mean;
    *ret_squares = squares;
    return true;
}

static bool next_predict(const struct machine_model *model, double usual_spread,
                         struct next_model *ret_model)
{
    double squares, usual = hypot(usual_spread, model->run_spread), count = (double)model->count;
    size_t degrees = model->count - 1;

    if (!next_describe(model, &ret_model->centre, &squares))
        return false;
    if (model->count < NEXT_MACHINE_ENOUGH) {
        squares += NEXT_MACHINE_DEGREES * usual * usual;
        degrees += NEXT_MACHINE_DEGREES;
    }
    assert(degrees > 0);
    ret_model->degrees = degrees;
    ret_model->scale = sqrt(squares / (double)degrees * (1 + 1 / count));
    return true;
}

bool next_machine_predict(const struct machine_model *models, size_t count, double usual_spread,
                          struct next_machine *ret_next)
{
    struct next_machine next = {.count = 0};
    size_t machines = 0;

    for (size_t i = 0; i < count; i++) {
        if (models[i].count == 0)
            continue;
        if (next.count == NEXT_MACHINE_MODELS_MAX ||
            !next_predict(&models[i], usual_spread, &next.models[next.count]))
            return false;
        next.models[next.count++].share = (double)models[i].count;
        machines += models[i].count;
    }
    if (machines == 0)
        return false;
    for (size_t i = 0; i < next.count; i++)
        next.models[i].share /= (double)machines;
    *ret_next = next;
    return true;
}
