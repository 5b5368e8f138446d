/* Max pooling of images, and the mean over positions.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/share.h"

#include <assert.h>
#include <string.h>

static bool nothing_to_make(struct op *op, struct error *err)
{
    (void)op;
    (void)err;
    return true;
}

/* Which number of an image each of its outputs is, pixel after pixel. */
static bool make_pool(struct op *op, struct error *err)
{
    assert(op->input->channels_last && !op->output->channels_last);
    op->own = layerwise_take(op->net, op->output->count * sizeof(int32_t), err);
    return op->own != NULL;
}

/* All channels of one pixel: its four inputs, whose first number is `first`. */
static void choose(const struct extent *in, const float *image, long first, int32_t *ret_chosen)
{
    long next = in->columns, below = in->width * in->columns;

    for (long c = first; c < first + in->columns; c++) {
        long best = image[c + next] > image[c] ? c + next : c;

        best = image[c + below] > image[best] ? c + below : best;
        best = image[c + below + next] > image[best] ? c + below + next : best;
        *ret_chosen++ = (int32_t)best;
    }
}

/* The outputs have their channels first: dense layers and dropouts count so. */
static void pool_forward(struct op *op, int thread)
{
    const struct extent *in = &op->node->in, *out = &op->node->out;
    const struct share images = share_of(op->net->batch, 1, thread, op->net->threads);
    long pixels = out->height * out->width;

    for (long n = images.begin; n < images.end; n++) {
        const float *image = op->input->value + n * op->input->width;
        float *value = op->output->value + n * op->output->width;
        int32_t *chosen = (int32_t *)op->own + n * op->output->width;

        for (long i = 0; i < pixels; i++, chosen += in->columns) {
            long pixel = 2 * (i / out->width) * in->width + 2 * (i % out->width);

            choose(in, image, pixel * in->columns, chosen);
            for (long c = 0; c < in->columns; c++)
                value[c * pixels + i] = image[chosen[c]];
        }
    }
}

static void pool_backward(struct op *op, int thread)
{
    const struct extent *out = &op->node->out;
    const struct share images = share_of(op->net->batch, 1, thread, op->net->threads);
    long pixels = out->height * out->width;

    for (long n = images.begin; n < images.end; n++) {
        const float *gradient = op->output->gradient + n * op->output->width;
        const int32_t *chosen = (const int32_t *)op->own + n * op->output->width;
        float *image = op->input->gradient + n * op->input->width;

        memset(image, 0, (size_t)op->input->width * sizeof *image);
        for (long i = 0; i < pixels; i++)
            for (long c = 0; c < out->columns; c++)
                image[*chosen++] = gradient[c * pixels + i];
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
