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

struct pool {
    int32_t *which; /* of its 2 x 2 pixels each output is: pixel after pixel */
    float *lines;   /* (threads): a line of the output, pixel after pixel */
};

static long line_of(const struct extent *extent)
{
    return extent->width * extent->columns;
}

static bool make_pool(struct op *op, struct error *err)
{
    struct pool *pool = op->own = layerwise_take(op->net, sizeof *pool, err);
    size_t lines = (size_t)(op->net->threads * line_of(&op->node->out));

    assert(op->input->channels_last && !op->output->channels_last);
    if (!pool)
        return false;
    pool->which = layerwise_take(op->net, op->output->count * sizeof *pool->which, err);
    pool->lines = layerwise_take(op->net, lines * sizeof *pool->lines, err);
    return pool->which && pool->lines;
}

/* From a line of pixels to a line of an image that has its channels first. */
static void line_to_channels(const struct extent *extent, const float *line, float *channels)
{
    for (long c = 0; c < extent->columns; c++, channels += extent->height * extent->width)
        for (long x = 0; x < extent->width; x++)
            channels[x] = line[x * extent->columns + c];
}

static void line_from_channels(const struct extent *extent, const float *channels, float *line)
{
    for (long c = 0; c < extent->columns; c++, channels += extent->height * extent->width)
        for (long x = 0; x < extent->width; x++)
            line[x * extent->columns + c] = channels[x];
}

/* The outputs have their channels first: dense layers and dropouts count so. */
static void pool_forward(struct op *op, int thread)
{
    const struct pool *pool = op->own;
    const struct extent *in = &op->node->in, *out = &op->node->out;
    const struct share images = share_of(op->net->batch, 1, thread, op->net->threads);
    float *line = pool->lines + thread * line_of(out);

    for (long n = images.begin; n < images.end; n++)
        for (long y = 0; y < out->height; y++) {
            const float *pixels = op->input->value + n * op->input->width + 2 * y * line_of(in);
            int32_t *which = pool->which + n * op->output->width + y * line_of(out);

            for (long at = 0; at < line_of(out); at += out->columns)
                op->net->elements->pool(pixels + 2 * at, out->columns, line_of(in), line + at,
                                        which + at);
            line_to_channels(out, line,
                             op->output->value + n * op->output->width + y * out->width);
        }
}

/* What no output sees: the last line and column, where their number is odd. */
static void clear_rest(const struct extent *in, const struct extent *out, float *image)
{
    long seen = 2 * out->width * in->columns;

    for (long y = 0; y < in->height; y++) {
        float *line = image + y * line_of(in);
        long first = y < 2 * out->height ? seen : 0;

        memset(line + first, 0, (size_t)(line_of(in) - first) * sizeof *line);
    }
}

static void pool_backward(struct op *op, int thread)
{
    const struct pool *pool = op->own;
    const struct extent *in = &op->node->in, *out = &op->node->out;
    const struct share images = share_of(op->net->batch, 1, thread, op->net->threads);
    float *line = pool->lines + thread * line_of(out);

    for (long n = images.begin; n < images.end; n++) {
        float *image = op->input->gradient + n * op->input->width;

        clear_rest(in, out, image);
        for (long y = 0; y < out->height; y++) {
            const int32_t *which = pool->which + n * op->output->width + y * line_of(out);
            float *pixels = image + 2 * y * line_of(in);

            line_from_channels(out, op->output->gradient + n * op->output->width + y * out->width,
                               line);
            for (long at = 0; at < line_of(out); at += out->columns)
                op->net->elements->pool_backward(line + at, which + at, out->columns, line_of(in),
                                                 pixels + 2 * at);
        }
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
