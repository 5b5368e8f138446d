/* Nodes that keep nothing: one-hot, the mean over positions, dropout.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "engine/train/layerwise/share.h"
#include "engine/train/networks/samples.h"
#include "engine/train/networks/tensor_init.h"

#include <string.h>

static void one_hot_forward(struct op *op, int thread)
{
    const struct tensor *output = op->output;
    const struct share rows = share_of(output->rows, 1, thread, op->net->threads);

    memset(output->value + rows.begin * output->width, 0,
           (size_t)((rows.end - rows.begin) * output->width) * sizeof(float));
    for (long row = rows.begin; row < rows.end; row++)
        output->value[row * output->width + (output->by_token ? row : op->net->tokens[row])] = 1;
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

const struct op_functions mean_functions = {NULL, mean_forward, mean_backward};

static void dropout_drop(struct op *op, int thread, const float *from, float *to)
{
    const struct layerwise *net = op->net;
    const struct share share = share_elements(net, op->output->count, thread);
    uint64_t behind = (uint64_t)joiner_rank(net->joiner) * op->output->count; /* other ranks' */
    const struct element_drop element = {
        .from = from,
        .to = to,
        .start =
            tensor_init_start(op->node->name, net->seed, (unsigned long long)net->step) + behind,
        .keep_from = samples_keep_from(op->node->keep_out),
        .scale = (float)(1 / (1 - op->node->keep_out)),
        .begin = (size_t)share.begin,
        .end = (size_t)share.end};

    net->elements->drop(&element);
}

static void dropout_forward(struct op *op, int thread)
{
    dropout_drop(op, thread, op->input->value, op->output->value);
}

static void dropout_backward(struct op *op, int thread)
{
    dropout_drop(op, thread, op->output->gradient, op->input->gradient);
}

const struct op_functions dropout_functions = {NULL, dropout_forward, dropout_backward};

const struct op_functions one_hot_functions = {.forward = one_hot_forward};
