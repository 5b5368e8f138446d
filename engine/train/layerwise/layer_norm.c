/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/share.h"

static bool layer_norm_make(struct op *op, struct error *err)
{
    op->own = layerwise_take(op->net, (size_t)op->output->rows * 2 * sizeof(float), err);
    return op->own != NULL;
}

static struct element_norm element_of(struct op *op)
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
    const struct element_norm element = element_of(op);
    const struct share rows = share_of(op->output->rows, 1, thread, op->net->threads);

    op->net->elements->norm_forward(&element, rows.begin, rows.end);
}

static void layer_norm_backward(struct op *op, int thread)
{
    const struct element_norm element = element_of(op);
    const struct share rows = share_of(op->output->rows, 1, thread, op->net->threads);
    const struct share columns = share_of(op->node->columns, 16, thread, op->net->threads);

    op->net->elements->norm_learn(&element, op->output->rows, columns.begin, columns.end);
    op->net->elements->norm_backward(&element, rows.begin, rows.end);
}

const struct op_functions layer_norm_functions = {layer_norm_make, layer_norm_forward,
                                                  layer_norm_backward};
