/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "common/cleanup.h"
#include "engine/train/layerwise/embedding.h"
#include "engine/train/layerwise/learn.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/product.h"

#include <assert.h>

struct dense {
    long inputs;
    struct product forward, to_weight, to_input;
    size_t passed;  /* numbers of each thread's place for rows of the weight's gradient; or 0 */
    float *before;  /* as the output: what a GELU reads; or NULL */
    void *gradient; /* the gradient of the output as products read it */
};

static int weight_of(const struct op *op)
{
    return graph_weight_of(&op->net->graph, op->node);
}

static int bias_of(const struct op *op)
{
    return op->node->tied ? 0 : 1;
}

static bool make_dense_products(struct op *op, struct dense *dense, struct error *err)
{
    long rows = op->output->rows, inputs = dense->inputs, outputs = op->node->columns;
    const struct dnn_product forward = {
        .left = {.rows = rows, .columns = inputs},
        .right = {.rows = inputs, .columns = outputs, .transposed = true}};
    const struct dnn_product to_weight = {
        .left = {.rows = outputs, .columns = rows, .transposed = true},
        .right = {.rows = rows, .columns = inputs}};
    const struct dnn_product to_input = {.left = {.rows = rows, .columns = outputs},
                                         .right = {.rows = outputs, .columns = inputs},
                                         .adds = op->adds_to_input};

    return product_make(&dense->forward, op->net, forward, err) &&
           product_make(&dense->to_weight, op->net, to_weight, err) &&
           (!op->to_input || product_make(&dense->to_input, op->net, to_input, err));
}

/* The weight's gradient shares a place with other gradients. */
static void share_gradient(struct op *op, struct dense *dense)
{
    size_t threads = (size_t)op->net->threads,
           whole = (size_t)(op->node->columns * dense->inputs);

    dense->passed = product_passed(&dense->to_weight);
    learn_needs(op->net, weight_of(op), dense->passed > 0 ? threads * dense->passed : whole);
}

static bool dense_make(struct op *op, struct error *err)
{
    struct dense *dense = op->own = layerwise_take(op->net, sizeof *dense, err);

    if (!dense)
        return false;
    dense->inputs = op->input->width;
    if (op->node->activation == ACTIVATION_GELU) {
        dense->before = layerwise_take(op->net, op->output->count * sizeof(float), err);
        if (!dense->before)
            return false;
    }
    dense->gradient = operand_take(op->net, op->output->gradient, op->output->count, err);
    if (!dense->gradient || !make_dense_products(op, dense, err))
        return false;
    if (op->net->learns_when[weight_of(op)] == LEARN_AT_ONCE)
        share_gradient(op, dense);
    return true;
}

static void dense_forward(struct op *op, int thread)
{
    const struct dense *dense = op->own;
    const struct product_part *part = &dense->forward.parts[thread];
    struct element_finish finish = {
        .from = op->output->value,
        .value = op->output->value,
        .bias = op->node->no_bias ? NULL : value_of_parameter(op, bias_of(op)),
        .adds = op->adds ? op->adds->value : NULL,
        .before = dense->before,
        .activation = op->node->activation,
        .stride = op->node->columns,
        .row_begin = part->rows.begin,
        .row_end = part->rows.end,
        .begin = part->columns.begin,
        .end = part->columns.end};

    product_run(&dense->forward, thread, op->input->operand, op->net->operands[weight_of(op)],
                op->output->value);
    finish_operand(op->net, op->output, 0, &finish);
    op->net->elements->finish(&finish);
}

static void weight_ready(void *user, const struct product_done *gradient)
{
    struct op *op = user;

    if (op->node->tied)
        embedding_learn(&op->net->ops[op->node->tied], gradient);
    else
        learn_part(op->net, weight_of(op), gradient);
}

/* Where the weight learns at once, all threads must have read it first. */
static void weight_backward(struct op *op, const struct dense *dense, int thread)
{
    const struct product_callback callback = {weight_ready, op, dense->passed > 0};
    struct layerwise *net = op->net;
    int weight = weight_of(op);
    bool at_once = net->learns_when[weight] == LEARN_AT_ONCE;
    float *gradient = net->parameters.list[weight].gradient + (size_t)thread * dense->passed;

    if (at_once)
        team_meet(net->team);
    product_run_calling(&dense->to_weight, thread, dense->gradient, op->input->operand, gradient,
                        at_once ? &callback : NULL);
}

/* From the gradient behind the activation to that before it. */
static void through_activation(struct op *op, const struct dense *dense, struct share share)
{
    const struct tensor *output = op->output;
    size_t count = (size_t)(share.end - share.begin);

    if (op->node->activation == ACTIVATION_RELU)
        op->net->elements->relu_backward(output->value + share.begin,
                                         output->gradient + share.begin, count,
                                         output->gradient + share.begin);
    else if (op->node->activation == ACTIVATION_GELU)
        op->net->elements->gelu_backward(dense->before + share.begin, count,
                                         output->gradient + share.begin);
}

static void dense_backward(struct op *op, int thread)
{
    const struct dense *dense = op->own;
    struct layerwise *net = op->net;
    const struct tensor *output = op->output;
    const struct share share = share_elements(net, output->count, thread);

    through_activation(op, dense, share);
    operand_round(net, output->gradient, share, dense->gradient);
    team_meet(net->team);
    if (!op->node->no_bias) {
        const struct share columns = share_of(output->width, 16, thread, net->threads);

        net->elements->sum_columns(output->gradient, output->rows, output->width, columns.begin,
                                   columns.end, gradient_of_parameter(op, bias_of(op)));
    }
    if (op->to_input)
        product_run(&dense->to_input, thread, dense->gradient, net->operands[weight_of(op)],
                    op->input->gradient);
    weight_backward(op, dense, thread);
}

const struct op_functions dense_functions = {dense_make, dense_forward, dense_backward};
