/* Tokens to rows: one-hot, or a row of a table.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/share.h"

#include <string.h>

static void one_hot_forward(struct op *op, int thread)
{
    const struct tensor *output = op->output;
    const struct share rows = share_of(output->rows, 1, thread, op->net->threads);

    memset(output->value + rows.begin * output->width, 0,
           (size_t)((rows.end - rows.begin) * output->width) * sizeof(float));
    for (long row = rows.begin; row < rows.end; row++)
        output->value[row * output->width + op->net->tokens[row]] = 1;
}

/* The tokens of the step before: their rows of the gradient are not zero. */
static bool embedding_make(struct op *op, struct error *err)
{
    op->own = layerwise_take(op->net, (size_t)op->output->rows * sizeof(int32_t), err);
    return op->own != NULL;
}

static void embedding_forward(struct op *op, int thread)
{
    const struct tensor *output = op->output;
    const struct share rows = share_of(output->rows, 1, thread, op->net->threads);
    const float *table = value_of_parameter(op, 0);
    long width = output->width;

    for (long row = rows.begin; row < rows.end; row++) {
        float *value = output->value + row * width;

        memcpy(value, table + op->net->tokens[row] * width, (size_t)width * sizeof *value);
        if (op->node->positions)
            op->net->elements->add(value_of_parameter(op, 1) + row % op->node->out.rows * width,
                                   (size_t)width, value);
    }
}

static void positions_backward(struct op *op, int thread)
{
    const struct tensor *output = op->output;
    const struct share share = share_of(output->width, 16, thread, op->net->threads);
    float *table = gradient_of_parameter(op, 1);
    long length = op->node->out.rows, width = output->width;

    for (long t = 0; t < length; t++)
        op->net->elements->sum_columns(output->gradient + t * width, op->net->batch,
                                       length * width, share.begin, share.end, table + t * width);
}

/* Clears this thread's rows of the gradient that the step before has written. Where ranks have
 * joined it, that may be any row. */
static void clear_before(struct op *op, int thread)
{
    const int32_t *before = op->own;
    float *table = gradient_of_parameter(op, 0);
    size_t width = (size_t)op->output->width;
    bool any = joiner_joins(op->net->joiner);
    long count = any ? op->net->graph.parameters[op->node->parameter].rows : op->output->rows;

    for (long i = 0; i < count; i++) {
        long row = any ? i : before[i];

        if (row % op->net->threads == thread)
            memset(table + (size_t)row * width, 0, width * sizeof *table);
    }
}

/* A thread has rows of the table for its own, so that no two of them add to one row, and adds to
 * each in the order of the text. */
static void embedding_backward(struct op *op, int thread)
{
    const struct tensor *output = op->output;
    float *table = gradient_of_parameter(op, 0);
    int32_t *before = op->own;
    const int32_t *tokens = op->net->tokens;
    size_t width = (size_t)output->width;
    int threads = op->net->threads;

    if (op->node->positions)
        positions_backward(op, thread);
    /* The product of a layer that shares the table has written all of its gradient. */
    if (!graph_is_tied(&op->net->graph, (int)(op->node - op->net->graph.nodes)))
        clear_before(op, thread);
    for (long row = 0; row < output->rows; row++)
        if (tokens[row] % threads == thread)
            op->net->elements->add(output->gradient + (size_t)row * width, width,
                                   table + (size_t)tokens[row] * width);
    team_meet(op->net->team); /* all have read `before` */
    if (thread == 0)
        memcpy(before, tokens, (size_t)output->rows * sizeof *before);
}

const struct op_functions one_hot_functions = {.forward = one_hot_forward};
const struct op_functions embedding_functions = {embedding_make, embedding_forward,
                                                 embedding_backward};
