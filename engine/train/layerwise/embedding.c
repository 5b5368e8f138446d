/* Tokens to rows of a table.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/embedding.h"

#include "engine/train/layerwise/kinds.h"
#include "engine/train/layerwise/late_rows.h"
#include "engine/train/layerwise/learn.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/share.h"

#include <string.h>

struct embedding {
    /* The tokens of the step before: their rows of the gradient are not zero. */
    int32_t *before;
    /* Of a table that does not learn at the end: */
    float *kept;     /* as the output: the gradients of the tokens' rows */
    int32_t *places; /* (vocabulary): the row of `kept`, the first of this token; -1: none */
    struct late_rows *late; /* or NULL */
};

static enum learn_when learns_when(const struct op *op)
{
    return op->net->learns_when[op->node->parameter];
}

static bool embedding_make(struct op *op, struct error *err)
{
    struct embedding *embedding = op->own = layerwise_take(op->net, sizeof *embedding, err);
    size_t rows = (size_t)op->output->rows;
    size_t vocabulary = (size_t)op->net->graph.parameters[op->node->parameter].rows;

    if (!embedding || op->output->by_token)
        return embedding != NULL;
    embedding->before = layerwise_take(op->net, rows * sizeof *embedding->before, err);
    if (!embedding->before || learns_when(op) == LEARN_AT_THE_END)
        return embedding->before != NULL;
    embedding->kept = layerwise_take(op->net, op->output->count * sizeof *embedding->kept, err);
    embedding->places = layerwise_take(op->net, vocabulary * sizeof *embedding->places, err);
    if (!embedding->kept || !embedding->places)
        return false;
    memset(embedding->places, -1, vocabulary * sizeof *embedding->places);
    if (learns_when(op) == LEARN_AT_ONCE)
        return true;
    embedding->late = late_rows_new(op->net, op->node->parameter, err);
    return embedding->late != NULL;
}

/* Gives each token of this step a place; tokens of the step before lose theirs. */
static void place_tokens(const struct op *op)
{
    const struct embedding *embedding = op->own;

    for (long row = 0; row < op->output->rows; row++)
        embedding->places[embedding->before[row]] = -1;
    for (long row = op->output->rows - 1; row >= 0; row--)
        embedding->places[op->net->tokens[row]] = (int32_t)row;
}

/* Whether the token's row of the table is this thread's. */
static bool is_mine(const struct op *op, long token, int thread)
{
    return token % op->net->threads == thread;
}

/* Whether the token's row is this thread's, and this is its first place in the text. */
static bool is_my_first(const struct op *op, long row, int thread)
{
    const struct embedding *embedding = op->own;
    int32_t token = op->net->tokens[row];

    return is_mine(op, token, thread) && embedding->places[token] == row;
}

static void read_late_rows(struct op *op, int thread)
{
    const struct embedding *embedding = op->own;

    if (thread == 0)
        late_rows_begin(embedding->late);
    for (long row = 0; row < op->output->rows; row++)
        if (is_mine(op, op->net->tokens[row], thread))
            late_rows_read(embedding->late, op->net->tokens[row]);
    team_meet(op->net->team);
}

static void embedding_forward(struct op *op, int thread)
{
    const struct embedding *embedding = op->own;
    const struct tensor *output = op->output;
    const struct share rows = share_of(output->rows, 1, thread, op->net->threads);
    const float *table = value_of_parameter(op, 0);
    long width = output->width;

    if (output->by_token) /* the table itself */
        return;
    if (thread == 0 && learns_when(op) != LEARN_AT_THE_END)
        place_tokens(op);
    if (embedding->late)
        read_late_rows(op, thread);
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
    const struct embedding *embedding = op->own;
    float *table = gradient_of_parameter(op, 0);
    size_t width = (size_t)op->output->width;
    bool any = joiner_joins(op->net->joiner);
    long count = any ? op->net->graph.parameters[op->node->parameter].rows : op->output->rows;

    for (long i = 0; i < count; i++) {
        long row = any ? i : embedding->before[i];

        if (is_mine(op, row, thread))
            memset(table + (size_t)row * width, 0, width * sizeof *table);
    }
}

static void clear_kept(struct op *op, int thread)
{
    const struct embedding *embedding = op->own;
    size_t width = (size_t)op->output->width;

    for (long row = 0; row < op->output->rows; row++)
        if (is_my_first(op, row, thread))
            memset(embedding->kept + (size_t)row * width, 0, width * sizeof *embedding->kept);
}

/* The gradient of the table's row of the token in this row of the text. */
static float *row_of_gradient(const struct op *op, long row)
{
    const struct embedding *embedding = op->own;
    int32_t token = op->net->tokens[row];
    long width = op->output->width;

    return embedding->kept ? embedding->kept + embedding->places[token] * width
                           : gradient_of_parameter(op, 0) + token * width;
}

void embedding_learn(struct op *op, const struct product_done *gradient)
{
    const struct embedding *embedding = op->own;
    size_t bytes =
        (size_t)(gradient->columns.end - gradient->columns.begin) * sizeof *gradient->numbers;
    struct product_done part = *gradient;
    long row = gradient->rows.begin;

    while (row < gradient->rows.end) {
        part.rows = (struct share){row, row + 1};
        part.numbers = gradient->numbers + (row - gradient->rows.begin) * gradient->stride;
        if (embedding->places[row] >= 0) {
            memcpy(embedding->kept + embedding->places[row] * op->output->width +
                       part.columns.begin,
                   part.numbers, bytes);
        } else {
            while (part.rows.end < gradient->rows.end && embedding->places[part.rows.end] < 0)
                part.rows.end++;
            learn_part(op->net, op->node->parameter, &part);
        }
        row = part.rows.end;
    }
}

/* The rows of this thread's tokens. */
static void learn_kept(struct op *op, int thread)
{
    const struct embedding *embedding = op->own;
    long width = op->output->width;

    for (long row = 0; row < op->output->rows; row++) {
        int32_t token = op->net->tokens[row];
        const struct product_done part = {.rows = {token, token + 1},
                                          .columns = {0, width},
                                          .numbers = embedding->kept + row * width,
                                          .stride = width};

        if (!is_my_first(op, row, thread))
            continue;
        if (embedding->late)
            late_rows_learn(embedding->late, token, part.numbers);
        else
            learn_part(op->net, op->node->parameter, &part);
    }
}

/* A thread has rows of the table for its own, so that no two of them add to one row, and adds to
 * each in the order of the text. */
static void embedding_backward(struct op *op, int thread)
{
    const struct embedding *embedding = op->own;
    const struct tensor *output = op->output;
    const int32_t *tokens = op->net->tokens;
    size_t width = (size_t)output->width;

    if (output->by_token)
        return;
    if (op->node->positions)
        positions_backward(op, thread);
    /* The product of a layer that shares the table has written all of its gradient. */
    if (embedding->late)
        clear_kept(op, thread);
    else if (!graph_is_tied(&op->net->graph, (int)(op->node - op->net->graph.nodes)))
        clear_before(op, thread);
    for (long row = 0; row < output->rows; row++)
        if (is_mine(op, tokens[row], thread))
            op->net->elements->add(output->gradient + (size_t)row * width, width,
                                   row_of_gradient(op, row));
    if (embedding->kept)
        learn_kept(op, thread);
    team_meet(op->net->team); /* all have read `before`, and written their tokens' rows */
    if (embedding->late)
        late_rows_sweep(embedding->late, thread);
    if (thread == 0)
        memcpy(embedding->before, tokens, (size_t)output->rows * sizeof *tokens);
}

void embedding_finish(struct op *op)
{
    const struct embedding *embedding = op->own;

    if (embedding->late)
        late_rows_finish(embedding->late);
}

const struct op_functions embedding_functions = {embedding_make, embedding_forward,
                                                 embedding_backward};
