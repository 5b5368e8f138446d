/* An LSTM of one or two directions over sequences of equal length, from zero states; its value is
 * the last state of each direction. One product makes the input's part of all gates, of all
 * sequences or of all tokens that these may have; then each thread takes sequences of its own
 * through time and waits for no other.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "common/cleanup.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/product.h"

/* (N, T, ...) of one direction; T is the position of the token, not the order of the steps. */
struct direction {
    struct product input, to_input_weight, to_state_weight, to_input;
    float *gates; /* (N, T, 4H): see element_lstm */
    /* The gates, or (tokens, 4H) of their own where the input is by token: W_ih x; on the way
     * back the sums of the gates over the places of each token. */
    float *input_gates;
    void *input_gates_gradient; /* on the way back, as products read them */
    float *cells;               /* (N, T, H) */
    float *states;              /* (N, T, H): the state before the token was read */
    void *gates_gradient;       /* the gates on the way back, as products read them */
    void *states_read;          /* the states as products read them */
};

/* What one thread works with; of its own sequences. */
struct lstm_room {
    struct product_alone *recurrent, *to_state; /* NULL: it has no sequence */
    float *sums;                                /* (n, 4H): W_hh h */
    float *state_gradient;                      /* (n, H) */
    float *cell_gradient;                       /* (n, H) */
};

struct lstm {
    long cells, length;
    int directions;
    struct direction direction[2];
    struct lstm_room *rooms; /* (threads) */
};

static bool make_lstm_products(struct op *op, const struct lstm *lstm, struct direction *d,
                               bool second, struct error *err)
{
    long rows = op->net->batch * lstm->length, h = lstm->cells;
    long read = op->input->rows, inputs = op->input->width;
    const struct dnn_product input = {
        .left = {.rows = read, .columns = inputs},
        .right = {.rows = inputs, .columns = 4 * h, .transposed = true}};
    const struct dnn_product to_input_weight = {
        .left = {.rows = 4 * h, .columns = read, .transposed = true},
        .right = {.rows = read, .columns = inputs}};
    const struct dnn_product to_state_weight = {
        .left = {.rows = 4 * h, .columns = rows, .transposed = true},
        .right = {.rows = rows, .columns = h}};
    const struct dnn_product to_input = {.left = {.rows = read, .columns = 4 * h},
                                         .right = {.rows = 4 * h, .columns = inputs},
                                         .adds = second || op->adds_to_input};

    return product_make(&d->input, op->net, input, err) &&
           product_make(&d->to_input_weight, op->net, to_input_weight, err) &&
           product_make(&d->to_state_weight, op->net, to_state_weight, err) &&
           (!op->to_input || product_make(&d->to_input, op->net, to_input, err));
}

static bool make_input_gates(struct op *op, const struct lstm *lstm, struct direction *d,
                             struct error *err)
{
    size_t count = (size_t)(op->input->rows * 4 * lstm->cells);

    d->input_gates = d->gates;
    d->input_gates_gradient = d->gates_gradient;
    if (!op->input->by_token)
        return true;
    d->input_gates = layerwise_take(op->net, count * sizeof(float), err);
    if (!d->input_gates)
        return false;
    d->input_gates_gradient = operand_take(op->net, d->input_gates, count, err);
    return d->input_gates_gradient != NULL;
}

static bool make_direction(struct op *op, const struct lstm *lstm, int index, struct direction *d,
                           struct error *err)
{
    size_t count = (size_t)(op->net->batch * lstm->length * lstm->cells);

    d->gates = layerwise_take(op->net, 4 * count * sizeof(float), err);
    d->cells = layerwise_take(op->net, count * sizeof(float), err);
    d->states = layerwise_take(op->net, count * sizeof(float), err);
    if (!d->gates || !d->cells || !d->states)
        return false;
    d->gates_gradient = operand_take(op->net, d->gates, 4 * count, err);
    d->states_read = operand_take(op->net, d->states, count, err);
    return d->gates_gradient && d->states_read && make_input_gates(op, lstm, d, err) &&
           make_lstm_products(op, lstm, d, index > 0, err);
}

static bool make_lstm_room(struct op *op, const struct lstm *lstm, int thread, struct error *err)
{
    struct layerwise *net = op->net;
    struct lstm_room *room = &lstm->rooms[thread];
    const struct share share = share_of(net->batch, 1, thread, net->threads);
    long count = share.end - share.begin, h = lstm->cells, t = lstm->length;
    const struct dnn_product recurrent = {
        .left = {.rows = count, .columns = h, .stride = t * h},
        .right = {.rows = h, .columns = 4 * h, .transposed = true}};
    const struct dnn_product to_state = {
        .left = {.rows = count, .columns = 4 * h, .stride = t * 4 * h},
        .right = {.rows = 4 * h, .columns = h}};

    if (count == 0)
        return true;
    room->sums = layerwise_take(net, (size_t)(4 * count * h) * sizeof(float), err);
    room->state_gradient = layerwise_take(net, (size_t)(count * h) * sizeof(float), err);
    room->cell_gradient = layerwise_take(net, (size_t)(count * h) * sizeof(float), err);
    return room->sums && room->state_gradient && room->cell_gradient &&
           (room->recurrent = product_kept(net, recurrent, err)) &&
           (room->to_state = product_kept(net, to_state, err));
}

static bool lstm_op_make(struct op *op, struct error *err)
{
    struct lstm *lstm = op->own = layerwise_take(op->net, sizeof *lstm, err);

    if (!lstm)
        return false;
    lstm->cells = op->node->columns;
    lstm->length = op->node->in.rows;
    lstm->directions = (int)op->node->directions;
    lstm->rooms = layerwise_take(op->net, (size_t)op->net->threads * sizeof *lstm->rooms, err);
    if (!lstm->rooms)
        return false;
    for (int i = 0; i < op->net->threads; i++)
        if (!make_lstm_room(op, lstm, i, err))
            return false;
    for (int i = 0; i < lstm->directions; i++)
        if (!make_direction(op, lstm, i, &lstm->direction[i], err))
            return false;
    return true;
}

/* Parameters of a direction: weight_ih, weight_hh, bias_ih, bias_hh. */
static int parameter_of(int direction, int which)
{
    return 4 * direction + which;
}

/* The position of a step, and of the one behind it. */
static long position_of(const struct lstm *lstm, int direction, long step)
{
    return direction == 0 ? step : lstm->length - 1 - step;
}

/* Sequence n at one step. */
static void step_forward(struct op *op, int direction, long n, long step, const float *sums)
{
    const struct lstm *lstm = op->own;
    const struct direction *d = &lstm->direction[direction];
    long h = lstm->cells, at = n * lstm->length;
    long here = at + position_of(lstm, direction, step);
    long input = op->input->by_token ? op->net->tokens[here] : here;
    bool last = step == lstm->length - 1;
    long behind = last ? 0 : at + position_of(lstm, direction, step + 1);
    long before = step == 0 ? 0 : at + position_of(lstm, direction, step - 1);
    const struct element_lstm element = {
        .cells = h,
        .input = d->input_gates + input * 4 * h,
        .gates = d->gates + here * 4 * h,
        .recurrent = step == 0 ? NULL : sums,
        .bias = value_of_parameter(op, parameter_of(direction, 2)),
        .bias_h = value_of_parameter(op, parameter_of(direction, 3)),
        .before = step == 0 ? NULL : d->cells + before * h,
        .cell = d->cells + here * h,
        .state = last ? op->output->value + n * op->output->width + direction * h
                      : d->states + behind * h};

    op->net->elements->lstm_forward(&element);
    if (!last)
        operand_round(op->net, d->states, (struct share){behind * h, (behind + 1) * h},
                      d->states_read);
}

static void run_forward(struct op *op, int direction, int thread)
{
    const struct lstm *lstm = op->own;
    const struct direction *d = &lstm->direction[direction];
    const struct lstm_room *room = &lstm->rooms[thread];
    const struct share share = share_of(op->net->batch, 1, thread, op->net->threads);
    long h = lstm->cells;

    if (share.begin == share.end)
        return;
    product_keep_right(op->net, room->recurrent,
                       operand_of_parameter(op, parameter_of(direction, 1)));
    for (long step = 0; step < lstm->length; step++) {
        long first = share.begin * lstm->length + position_of(lstm, direction, step);

        if (step > 0)
            product_run_alone(op->net, room->recurrent, thread,
                              operand_at(op->net, d->states_read, first * h), NULL, room->sums);
        for (long n = share.begin; n < share.end; n++)
            step_forward(op, direction, n, step, room->sums + (n - share.begin) * 4 * h);
    }
}

static void lstm_op_forward(struct op *op, int thread)
{
    const struct lstm *lstm = op->own;

    for (int i = 0; i < lstm->directions; i++)
        product_run(&lstm->direction[i].input, thread, op->input->operand,
                    operand_of_parameter(op, parameter_of(i, 0)), lstm->direction[i].input_gates);
    team_meet(op->net->team);
    for (int i = 0; i < lstm->directions; i++)
        run_forward(op, i, thread);
}

static void step_backward(struct op *op, int direction, long n, long step,
                          const float *state_gradient, float *cell_gradient)
{
    const struct lstm *lstm = op->own;
    const struct direction *d = &lstm->direction[direction];
    long h = lstm->cells, at = n * lstm->length;
    long here = at + position_of(lstm, direction, step);
    long before = step == 0 ? 0 : at + position_of(lstm, direction, step - 1);
    const struct element_lstm element = {.cells = h,
                                         .gates = d->gates + here * 4 * h,
                                         .before = step == 0 ? NULL : d->cells + before * h,
                                         .cell = d->cells + here * h,
                                         .state_gradient = state_gradient,
                                         .cell_gradient = cell_gradient};

    op->net->elements->lstm_backward(&element);
    operand_round(op->net, d->gates, (struct share){here * 4 * h, (here + 1) * 4 * h},
                  d->gates_gradient);
}

static void run_backward(struct op *op, int direction, int thread)
{
    const struct lstm *lstm = op->own;
    const struct direction *d = &lstm->direction[direction];
    const struct lstm_room *room = &lstm->rooms[thread];
    const struct share share = share_of(op->net->batch, 1, thread, op->net->threads);
    long h = lstm->cells, count = share.end - share.begin;

    if (count == 0)
        return;
    product_keep_right(op->net, room->to_state,
                       operand_of_parameter(op, parameter_of(direction, 1)));
    memset(room->cell_gradient, 0, (size_t)(count * h) * sizeof(float));
    for (long n = 0; n < count; n++)
        memcpy(room->state_gradient + n * h,
               op->output->gradient + (share.begin + n) * op->output->width + direction * h,
               (size_t)h * sizeof(float));
    for (long step = lstm->length - 1; step >= 0; step--) {
        long first = share.begin * lstm->length + position_of(lstm, direction, step);

        for (long n = 0; n < count; n++)
            step_backward(op, direction, share.begin + n, step, room->state_gradient + n * h,
                          room->cell_gradient + n * h);
        if (step > 0)
            product_run_alone(op->net, room->to_state, thread,
                              operand_at(op->net, d->gates_gradient, first * 4 * h), NULL,
                              room->state_gradient);
    }
}

/* The thread's columns of the sums over the places of each token. */
static void sum_by_token(struct op *op, int direction, int thread)
{
    const struct lstm *lstm = op->own;
    const struct direction *d = &lstm->direction[direction];
    long rows = op->net->batch * lstm->length, gates = 4 * lstm->cells;
    const struct share share = share_of(gates, 16, thread, op->net->threads);
    size_t count = (size_t)(share.end - share.begin);

    for (long token = 0; token < op->input->rows; token++)
        memset(d->input_gates + token * gates + share.begin, 0, count * sizeof(float));
    for (long row = 0; row < rows; row++)
        op->net->elements->add(d->gates + row * gates + share.begin, count,
                               d->input_gates + op->net->tokens[row] * gates + share.begin);
    for (long token = 0; token < op->input->rows; token++)
        operand_round(op->net, d->input_gates,
                      (struct share){token * gates + share.begin, token * gates + share.end},
                      d->input_gates_gradient);
}

static void lstm_op_learn(struct op *op, int direction, int thread)
{
    const struct lstm *lstm = op->own;
    const struct direction *d = &lstm->direction[direction];
    long gates = 4 * lstm->cells;
    const struct share share = share_of(gates, 16, thread, op->net->threads);
    float *bias = gradient_of_parameter(op, parameter_of(direction, 2));
    size_t bytes = (size_t)(share.end - share.begin) * sizeof *bias;

    op->net->elements->sum_columns(d->input_gates, op->input->rows, gates, share.begin, share.end,
                                   bias);
    /* The other bias is added to the same sums. */
    memcpy(gradient_of_parameter(op, parameter_of(direction, 3)) + share.begin,
           bias + share.begin, bytes);
    product_run(&d->to_input_weight, thread, d->input_gates_gradient, op->input->operand,
                gradient_of_parameter(op, parameter_of(direction, 0)));
    product_run(&d->to_state_weight, thread, d->gates_gradient, d->states_read,
                gradient_of_parameter(op, parameter_of(direction, 1)));
    if (op->to_input)
        product_run(&d->to_input, thread, d->input_gates_gradient,
                    operand_of_parameter(op, parameter_of(direction, 0)), op->input->gradient);
}

static void lstm_op_backward(struct op *op, int thread)
{
    const struct lstm *lstm = op->own;

    for (int i = 0; i < lstm->directions; i++)
        run_backward(op, i, thread);
    team_meet(op->net->team);
    if (op->input->by_token) {
        for (int i = 0; i < lstm->directions; i++)
            sum_by_token(op, i, thread);
        team_meet(op->net->team);
    }
    for (int i = 0; i < lstm->directions; i++)
        lstm_op_learn(op, i, thread);
}

const struct op_functions lstm_functions = {lstm_op_make, lstm_op_forward, lstm_op_backward};
