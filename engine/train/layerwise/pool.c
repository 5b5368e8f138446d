/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/pool.h"

#include "engine/train/layerwise/kinds.h"
#include "engine/train/layerwise/memory.h"

/* Outputs have their channels first: dense layers and dropouts count so. */
struct pool {
    int32_t *which; /* of its 2 x 2 pixels each output is: pixel after pixel */
    float *images;  /* (threads): an image of the output, pixel after pixel */
    float *lines;   /* (threads): two lines of the input's gradient */
};

static long line_of(const struct extent *extent)
{
    return extent->width * extent->columns;
}

static float *image_of(const struct op *op, int thread)
{
    const struct pool *pool = op->own;

    return pool->images + thread * op->output->width;
}

static bool make_pool(struct op *op, struct error *err)
{
    struct pool *pool = op->own = layerwise_take(op->net, sizeof *pool, err);
    size_t threads = (size_t)op->net->threads;

    if (!pool)
        return false;
    pool->which = layerwise_take(op->net, op->output->count * sizeof *pool->which, err);
    pool->images =
        layerwise_take(op->net, threads * (size_t)op->output->width * sizeof(float), err);
    pool->lines = layerwise_take(
        op->net, threads * 2 * (size_t)line_of(&op->node->in) * sizeof(float), err);
    return pool->which && pool->images && pool->lines;
}

void pool_forward(const struct op *op, const struct element_pool *sums, long n, int thread)
{
    const struct pool *pool = op->own;
    const struct extent *out = &op->node->out;
    float *image = image_of(op, thread), *value = op->output->value + n * op->output->width;
    struct element_pool line = *sums;
    long pixels = out->height * out->width;

    line.width = out->width;
    line.columns = out->columns;
    line.value = image;
    line.which = pool->which + n * op->output->width;
    for (long y = 0; y < out->height; y++) {
        op->net->elements->pool(&line);
        line.from += 2 * line.line;
        line.value += line_of(out);
        line.which += line_of(out);
    }
    for (long c = 0; c < out->columns; c++)
        for (long i = 0; i < pixels; i++)
            value[c * pixels + i] = image[i * out->columns + c];
}

const float *pool_gradient(const struct op *op, bool relu, long n, int thread)
{
    const struct extent *out = &op->node->out;
    const float *value = op->output->value + n * op->output->width;
    float *image = image_of(op, thread), *gradient = op->output->gradient + n * op->output->width;
    long pixels = out->height * out->width;

    if (relu)
        op->net->elements->relu_backward(value, gradient, (size_t)op->output->width, gradient);
    for (long c = 0; c < out->columns; c++)
        for (long i = 0; i < pixels; i++)
            image[i * out->columns + c] = gradient[c * pixels + i];
    return image;
}

void pool_backward(const struct op *op, long n, struct pool_lines lines, int thread)
{
    const struct pool *pool = op->own;
    const struct extent *out = &op->node->out;
    const struct element_unpool line = {.gradient = image_of(op, thread) + lines.y * line_of(out),
                                        .which = pool->which + n * op->output->width +
                                                 lines.y * line_of(out),
                                        .width = out->width,
                                        .columns = out->columns,
                                        .to = lines.to,
                                        .line = lines.line};

    op->net->elements->pool_backward(&line);
}

float *pool_lines_at(const struct op *op, int thread)
{
    const struct pool *pool = op->own;

    return pool->lines + 2 * thread * line_of(&op->node->in);
}

/* Its convolution runs it. */
const struct op_functions max_pool_functions = {.make = make_pool};
