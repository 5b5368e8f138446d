/* The mean over positions.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "engine/train/layerwise/share.h"

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
