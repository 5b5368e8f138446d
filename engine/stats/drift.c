#include "engine/stats/drift.h"

#include "engine/stats/stall.h"

#include <assert.h>
#include <math.h>

#define LAG1_MAX 0.95 /* steps that remember more would need a trace of thousands */

static double mean_of(const struct step_view *view, size_t from, size_t to)
{
    double sum = 0;

    for (size_t i = from; i < to; i++)
        sum += step_view_at(view, i);
    return sum / (double)(to - from);
}

/* The number of batches in the earlier part, and the contrast of the two parts: their difference
 * times the root of the number of batches that it rests on. */
static size_t find_split(const struct step_view *view, size_t batches, double *ret_contrast)
{
    double total = mean_of(view, 0, batches * DRIFT_BATCH) * (double)batches, left = 0;
    size_t best = 1;

    *ret_contrast = 0;
    for (size_t split = 1; split < batches; split++) {
        double before = (double)split, after = (double)(batches - split), contrast;

        left += mean_of(view, (split - 1) * DRIFT_BATCH, split * DRIFT_BATCH);
        contrast =
            fabs(left / before - (total - left) / after) * sqrt(before * after / (double)batches);
        if (contrast > *ret_contrast) {
            *ret_contrast = contrast;
            best = split;
        }
    }
    return best;
}

double drift_inflation(double lag1)
{
    assert(lag1 >= 0 && lag1 < 1);
    return (1 + lag1) / (1 - lag1);
}

/* The steps without noise: two levels, or a line. */
struct shape {
    size_t split;
    double levels[2];
    double middle, slope; /* of the line, at half of the steps and a step */
};

static double on_levels(const struct shape *shape, size_t step)
{
    return shape->levels[step >= shape->split];
}

static double on_line(const struct shape *shape, size_t step)
{
    return shape->middle + shape->slope * (double)step;
}

/* Least squares. */
static void fit_line(const struct step_view *view, struct shape *shape)
{
    size_t count = view->count;
    double mean = mean_of(view, 0, count), half = ((double)count - 1) / 2;
    double products = 0, squares = 0;

    for (size_t i = 0; i < count; i++) {
        double at = (double)i - half;

        products += at * (step_view_at(view, i) - mean);
        squares += at * at;
    }
    shape->slope = products / squares;
    shape->middle = mean - shape->slope * half;
}

/* Standard error of the mean of a batch, from the noise around the shape. */
static double batch_error(const struct step_view *view, const struct shape *shape,
                          double (*expect)(const struct shape *shape, size_t step))
{
    size_t count = view->count;
    double squares = 0, products = 0, last = 0, lag1;

    for (size_t i = 0; i < count; i++) {
        double here = step_view_at(view, i) - expect(shape, i);

        squares += here * here;
        products += here * last;
        last = here;
    }
    lag1 = squares > 0 ? products / squares : 0;
    lag1 += (1 + 4 * lag1) / (double)count; /* short traces show too little (Kendall, 1954) */
    lag1 = fmin(fmax(lag1, 0), LAG1_MAX);
    return sqrt(squares / (double)(count - 2) * drift_inflation(lag1) / DRIFT_BATCH);
}

static struct drift drift_in(const struct step_view *view)
{
    size_t batches = view->count / DRIFT_BATCH;
    struct shape shape = {0};
    double contrast, error;

    if (batches < 2)
        return (struct drift){0};
    shape.split = DRIFT_BATCH * find_split(view, batches, &contrast);
    assert(shape.split > 0 && shape.split < view->count);
    shape.levels[0] = mean_of(view, 0, shape.split);
    shape.levels[1] = mean_of(view, shape.split, view->count);
    fit_line(view, &shape);
    /* A step and a slope both pass for noise that remembers, seen around the wrong shape. */
    error = fmin(batch_error(view, &shape, on_levels), batch_error(view, &shape, on_line));
    return (struct drift){.change = shape.levels[1] / shape.levels[0] - 1,
                          .off = fabs(mean_of(view, 0, view->count) / shape.levels[1] - 1),
                          .score = contrast > 0 ? contrast / error : 0};
}

struct drift drift_of(const long long *nanoseconds, size_t count)
{
    return drift_in(&(struct step_view){nanoseconds, count, false});
}

struct drift drift_without_stalls(const long long *nanoseconds, size_t count)
{
    return drift_in(&(struct step_view){nanoseconds, count, true});
}
