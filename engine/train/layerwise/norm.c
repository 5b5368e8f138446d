/* Batch-norm of columns over all samples, each thread with columns of its own; layer norm of
 * rows, each with rows of its own.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/norm.h"

#include "engine/train/layerwise/kinds.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/share.h"

#include <math.h>

/* (columns) each */
struct batch_norm {
    float *mean, *scale; /* of the batch; scale: one over the deviation */
    float *running_mean, *running_variance;
};

static bool batch_norm_make(struct op *op, struct error *err)
{
    struct batch_norm *norm = op->own = layerwise_take(op->net, sizeof *norm, err);
    long columns = op->node->columns;
    float *memory;

    if (!norm)
        return false;
    memory = layerwise_take(op->net, (size_t)(4 * columns) * sizeof *memory, err);
    if (!memory)
        return false;
    norm->mean = memory;
    norm->scale = memory + columns;
    norm->running_mean = memory + 2 * columns;
    norm->running_variance = memory + 3 * columns;
    for (long j = 0; j < columns; j++)
        norm->running_variance[j] = 1;
    return true;
}

static void find_statistics(struct op *op, long column)
{
    const struct batch_norm *norm = op->own;
    long rows = op->input->rows, columns = op->node->columns;
    const float *x = op->input->value + column;
    double sum = 0, squares = 0, mean, variance, unbiased, keep = 1 - (double)op->node->momentum;

    for (long row = 0; row < rows; row++)
        sum += (double)x[row * columns];
    mean = sum / (double)rows;
    for (long row = 0; row < rows; row++) {
        double off = (double)x[row * columns] - mean;

        squares += off * off;
    }
    variance = squares / (double)rows;
    unbiased = rows > 1 ? squares / (double)(rows - 1) : variance;
    norm->mean[column] = (float)mean;
    norm->scale[column] = (float)(1 / sqrt(variance + (double)op->node->epsilon));
    norm->running_mean[column] =
        (float)(keep * (double)norm->running_mean[column] + (double)op->node->momentum * mean);
    norm->running_variance[column] = (float)(keep * (double)norm->running_variance[column] +
                                             (double)op->node->momentum * unbiased);
}

static void batch_norm_forward(struct op *op, int thread)
{
    const struct batch_norm *norm = op->own;
    long columns = op->node->columns;
    const struct share share = share_of(columns, 16, thread, op->net->threads);
    const float *weight = value_of_parameter(op, 0), *bias = value_of_parameter(op, 1);
    float least = op->node->activation == ACTIVATION_RELU ? 0 : -INFINITY;

    for (long j = share.begin; j < share.end; j++)
        find_statistics(op, j);
    for (long row = 0; row < op->input->rows; row++)
        for (long j = share.begin; j < share.end; j++) {
            float x = op->input->value[row * columns + j];
            float y = (x - norm->mean[j]) * norm->scale[j] * weight[j] + bias[j];

            op->output->value[row * columns + j] = y < least ? least : y;
        }
}

static void column_backward(struct op *op, long j)
{
    const struct batch_norm *norm = op->own;
    long rows = op->input->rows, columns = op->node->columns;
    const float *x = op->input->value + j, *y = op->output->value + j;
    float *g = op->output->gradient + j, *to = op->input->gradient + j;
    float mean = norm->mean[j], scale = norm->scale[j], weight = value_of_parameter(op, 0)[j];
    bool relu = op->node->activation == ACTIVATION_RELU;
    double sum = 0, product = 0;

    for (long i = 0; i < rows * columns; i += columns) {
        if (relu && !(y[i] > 0))
            g[i] = 0;
        sum += (double)g[i];
        product += (double)g[i] * (double)((x[i] - mean) * scale);
    }
    gradient_of_parameter(op, 0)[j] = (float)product;
    gradient_of_parameter(op, 1)[j] = (float)sum;
    sum /= (double)rows;
    product /= (double)rows;
    for (long i = 0; i < rows * columns; i += columns)
        to[i] = (float)((double)(weight * scale) *
                        ((double)g[i] - sum - (double)((x[i] - mean) * scale) * product));
}

static void batch_norm_backward(struct op *op, int thread)
{
    const struct share share = share_of(op->node->columns, 16, thread, op->net->threads);

    for (long j = share.begin; j < share.end; j++)
        column_backward(op, j);
}

void batch_norm_running(const struct op *op, const float **ret_mean, const float **ret_variance)
{
    const struct batch_norm *norm = op->own;

    *ret_mean = norm->running_mean;
    *ret_variance = norm->running_variance;
}

const struct op_functions batch_norm_functions = {batch_norm_make, batch_norm_forward,
                                                  batch_norm_backward};

static bool layer_norm_make(struct op *op, struct error *err)
{
    op->own = layerwise_take(op->net, (size_t)op->output->rows * 2 * sizeof(float), err);
    return op->own != NULL;
}

static struct element_norm layer_norm_of(struct op *op)
{
    return (struct element_norm){.columns = op->node->columns,
                                 .epsilon = op->node->epsilon,
                                 .weight = value_of_parameter(op, 0),
                                 .bias = value_of_parameter(op, 1),
                                 .input = op->input->value,
                                 .output = op->output->value,
                                 .mean = op->own,
                                 .scale = (float *)op->own + op->output->rows,
                                 .gradient = op->output->gradient,
                                 .input_gradient = op->input->gradient,
                                 .weight_gradient = gradient_of_parameter(op, 0),
                                 .bias_gradient = gradient_of_parameter(op, 1),
                                 .adds = op->adds_to_input};
}

static void layer_norm_forward(struct op *op, int thread)
{
    const struct element_norm element = layer_norm_of(op);
    const struct share rows = share_of(op->output->rows, 1, thread, op->net->threads);

    op->net->elements->norm_forward(&element, rows.begin, rows.end);
}

static void layer_norm_backward(struct op *op, int thread)
{
    const struct element_norm element = layer_norm_of(op);
    const struct share rows = share_of(op->output->rows, 1, thread, op->net->threads);
    const struct share columns = share_of(op->node->columns, 16, thread, op->net->threads);

    op->net->elements->norm_learn(&element, op->output->rows, columns.begin, columns.end);
    op->net->elements->norm_backward(&element, rows.begin, rows.end);
}

const struct op_functions layer_norm_functions = {layer_norm_make, layer_norm_forward,
                                                  layer_norm_backward};
