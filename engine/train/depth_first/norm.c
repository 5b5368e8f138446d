/* Tested by tests/engine/train/depth_first/norm_test.c. */
#include "engine/train/depth_first/norm.h"

#include "common/cleanup.h"
#include "common/memory.h"

#include <assert.h>
#include <math.h>

#define EPSILON 1e-5
#define RUNNING_SHARE 0.1 /* of the newest batch in the running statistics */
#define SUMS 5            /* of a channel and a thread, forward and backward */
#define COEFFICIENTS 6
/* norm_start_forward() empties 2 of them, norm_start_backward() 3. */
_Static_assert(SUMS == 2 + 3, "a channel has the sums of forward and of backward");

struct norm {
    struct norm_shape shape;
    struct parameter *scale, *shift;
    struct norm_lane *lanes; /* (lanes) */
    double *sums;            /* (lanes, SUMS, channels) */
    float *coefficients;     /* (lanes, COEFFICIENTS, channels) */
    float *running_mean;     /* (channels) */
    float *running_variance; /* (channels), behind running_mean in one block */
};

/* Gives each thread its part of the memory. */
static void share_out(struct norm *norm)
{
    size_t c = (size_t)norm->shape.channels;

    for (int i = 0; i < norm->shape.lanes; i++) {
        double *sums = norm->sums + (size_t)i * SUMS * c;
        float *at = norm->coefficients + (size_t)i * COEFFICIENTS * c;

        norm->lanes[i] = (struct norm_lane){.sums = sums,
                                            .backward_sums = sums + 2 * c,
                                            .affine = at,
                                            .mean = at + 2 * c,
                                            .inverse_deviation = at + 3 * c,
                                            .slope = at + 4 * c,
                                            .offset = at + 5 * c};
    }
}

struct norm *norm_new(const struct norm_shape *shape, struct parameter *scale,
                      struct parameter *shift, struct error *err)
{
    struct norm *norm = xcalloc(1, sizeof *norm);
    size_t c = (size_t)shape->channels, lanes = (size_t)shape->lanes;

    assert(shape->channels > 0 && shape->lanes > 0 && shape->count > 0);
    assert(scale && shift && scale->count == c && shift->count == c);
    *norm = (struct norm){.shape = *shape, .scale = scale, .shift = shift};
    norm->lanes = xcalloc(lanes, sizeof *norm->lanes);
    norm->running_mean = xcalloc(2 * c, sizeof *norm->running_mean);
    norm->sums = calloc(lanes * SUMS * c, sizeof *norm->sums);
    norm->coefficients = calloc(lanes * COEFFICIENTS * c, sizeof *norm->coefficients);
    if (!norm->sums || !norm->coefficients) {
        norm_free(norm);
        error_no_memory(err);
        return NULL;
    }
    norm->running_variance = norm->running_mean + c;
    for (size_t i = 0; i < c; i++)
        norm->running_variance[i] = 1;
    share_out(norm);
    return norm;
}

void norm_free(struct norm *norm)
{
    if (!norm)
        return;
    free(norm->lanes);
    free(norm->sums);
    free(norm->coefficients);
    free(norm->running_mean);
    free(norm);
}

const struct norm_lane *norm_at(const struct norm *norm, int lane)
{
    assert(lane >= 0 && lane < norm->shape.lanes);
    return &norm->lanes[lane];
}

void norm_start_forward(struct norm *norm, int lane)
{
    memset(norm->lanes[lane].sums, 0, 2 * (size_t)norm->shape.channels * sizeof(double));
}

void norm_start_backward(struct norm *norm, int lane)
{
    memset(norm->lanes[lane].backward_sums, 0, 3 * (size_t)norm->shape.channels * sizeof(double));
}

static void keep_running(struct norm *norm, long channel, double mean, double variance)
{
    double count = (double)norm->shape.count;
    float *running_mean = &norm->running_mean[channel];
    float *running_variance = &norm->running_variance[channel];

    *running_mean += (float)(RUNNING_SHARE * (mean - (double)*running_mean));
    *running_variance +=
        (float)(RUNNING_SHARE * (variance * count / (count - 1) - (double)*running_variance));
}

void norm_finish_forward(struct norm *norm, int lane)
{
    const struct norm_lane *own = &norm->lanes[lane];
    long channels = norm->shape.channels;
    double count = (double)norm->shape.count;

    for (long c = 0; c < channels; c++) {
        double sum = 0, squares = 0, mean, variance, inverse;

        for (int i = 0; i < norm->shape.lanes; i++) {
            sum += norm->lanes[i].sums[c];
            squares += norm->lanes[i].sums[channels + c];
        }
        mean = sum / count;
        variance = squares / count - mean * mean;
        /* Rounding may leave a channel of equal values below zero; not-a-number stays. */
        variance = variance < 0 ? 0 : variance;
        inverse = 1 / sqrt(variance + EPSILON);
        own->mean[c] = (float)mean;
        own->inverse_deviation[c] = (float)inverse;
        own->affine[c] = (float)((double)norm->scale->value[c] * inverse);
        own->affine[channels + c] = (float)((double)norm->shift->value[c] -
                                            mean * (double)norm->scale->value[c] * inverse);
        if (lane == 0)
            keep_running(norm, c, mean, variance);
    }
}

void norm_finish_backward(struct norm *norm, const struct norm *summed, int lane)
{
    const struct norm_lane *own = &norm->lanes[lane];
    long channels = norm->shape.channels, products = summed == norm ? channels : 2 * channels;
    double count = (double)norm->shape.count;

    assert(summed->shape.channels == channels && summed->shape.lanes == norm->shape.lanes);
    for (long c = 0; c < channels; c++) {
        double sum = 0, product = 0, inverse = (double)own->inverse_deviation[c];
        double scale = (double)own->affine[c];

        for (int i = 0; i < norm->shape.lanes; i++) {
            sum += summed->lanes[i].backward_sums[c];
            product += summed->lanes[i].backward_sums[products + c];
        }
        own->slope[c] = (float)(-scale * inverse * inverse * product / count);
        own->offset[c] = (float)(-scale * sum / count);
        if (lane == 0) {
            norm->scale->gradient[c] = (float)(inverse * product);
            norm->shift->gradient[c] = (float)sum;
        }
    }
}

const float *norm_running_mean(const struct norm *norm)
{
    return norm->running_mean;
}

const float *norm_running_variance(const struct norm *norm)
{
    return norm->running_variance;
}
