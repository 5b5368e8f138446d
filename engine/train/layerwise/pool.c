/* Max pooling of images, and the mean over positions.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/share.h"

#include <string.h>

static bool nothing_to_make(struct op *op, struct error *err)
{
    (void)op;
    (void)err;
    return true;
}

/* Which number of an image each of its outputs is. */
static bool make_pool(struct op *op, struct error *err)
{
    op->own = layerwise_take(op->net, op->output->count * sizeof(int32_t), err);
    return op->own != NULL;
}

static int32_t largest_of(const float *image, long first, long width)
{
    long best = first;

    best = image[first + 1] > image[best] ? first + 1 : best;
    best = image[first + width] > image[best] ? first + width : best;
    best = image[first + width + 1] > image[best] ? first + width + 1 : best;
    return (int32_t)best;
}

static void pool_forward(struct op *op, int thread)
{
    const struct extent *in = &op->node->in, *out = &op->node->out;
    const struct share images = share_of(op->net->batch, 1, thread, op->net->threads);

    for (long n = images.begin; n < images.end; n++) {
        const float *image = op->input->value + n * op->input->width;
        float *value = op->output->value + n * op->output->width;
        int32_t *chosen = (int32_t *)op->own + n * op->output->width;

        for (long c = 0; c < in->columns; c++)
            for (long y = 0; y < out->height; y++)
                for (long x = 0; x < out->width; x++) {
                    long first = (c * in->height + 2 * y) * in->width + 2 * x;

                    *chosen = largest_of(image, first, in->width);
                    *value++ = image[*chosen++];
                }
    }
}

static void pool_backward(struct op *op, int thread)
{
    const struct share images = share_of(op->net->batch, 1, thread, op->net->threads);

    for (long n = images.begin; n < images.end; n++) {
        const float *gradient = op->output->gradient + n * op->output->width;
        const int32_t *chosen = (const int32_t *)op->own + n * op->output->width;
        float *image = op->input->gradient + n * op->input->width;

        memset(image, 0, (size_t)op->input->width * sizeof *image);
        for (long i = 0; i < op->output->width; i++)
            image[chosen[i]] = gradient[i];
    }
}

static void mean_forward(struct op *op, int thread)
{
    const struct share samples = share_of(op->net->batch, 1, thread, op->net->threads);
    long rows = op->node->in.rows, columns = op->node->in.columns;
    float scale = 1 / (float)rows;

    for (long n = samples.begin; n < samples.end; n++) {
        float *value = op->output->value + n * columns;

        op->net->elements->sum_columns(op->input->value + n * rows * columns, rows, columns, 0,
                                       columns, value);
        for (long j = 0; j < columns; j++)
            value[j] *= scale;
    }
}

static void mean_backward(struct op *op, int thread)
{
    const struct share samples = share_of(op->net->batch, 1, thread, op->net->threads);
    long rows = op->node->in.rows, columns = op->node->in.columns;
    float scale = 1 / (float)rows;

    for (long n = samples.begin; n < samples.end; n++) {
        const float *from = op->output->gradient + n * columns;
        float *to = op->input->gradient + n * rows * columns;

        for (long row = 0; row < rows; row++, to += columns)
            for (long j = 0; j < columns; j++)
                to[j] = from[j] * scale;
    }
}

const struct op_functions max_pool_functions = {make_pool, pool_forward, pool_backward};
const struct op_functions mean_functions = {nothing_to_make, mean_forward, mean_backward};
