/* Causal attention: each thread takes heads of its own, one after another, and holds the
 * (T, T) matrices of one head only. They are computed again on the way back.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "common/cleanup.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/product.h"

#include <math.h>

/* What one thread works with. */
struct attention_room {
    float *shares, *gradient;          /* (T, T): softmax, and its gradient */
    void *shares_read, *gradient_read; /* the same as products read them */
};

struct attention {
    long length, channels, width;             /* width: of a head */
    const struct product_alone *scores, *mix; /* q k^T; shares v */
    const struct product_alone *to_shares, *to_first,
        *to_second; /* of the gradients, see head_backward() */
    const struct product_alone *to_values;
    void *gradient_read;          /* the gradient of the output as products read it */
    struct attention_room *rooms; /* (threads) */
};

static bool make_attention_products(struct layerwise *net, struct attention *a, struct error *err)
{
    long t = a->length, c = a->channels, w = a->width;
    const struct dnn_matrix head = {.rows = t, .columns = w, .stride = 3 * c};
    const struct dnn_matrix turned = {
        .rows = w, .columns = t, .stride = 3 * c, .transposed = true};
    const struct dnn_matrix mixed = {.rows = t, .columns = w, .stride = c};
    const struct dnn_matrix square = {.rows = t, .columns = t};
    const struct dnn_matrix turned_square = {.rows = t, .columns = t, .transposed = true};

    return (a->scores =
                product_alone(net, (struct dnn_product){.left = head, .right = turned}, err)) &&
           (a->mix = product_alone(
                net, (struct dnn_product){.left = square, .right = head, .result_stride = c},
                err)) &&
           (a->to_shares =
                product_alone(net, (struct dnn_product){.left = mixed, .right = turned}, err)) &&
           (a->to_first = product_alone(
                net, (struct dnn_product){.left = square, .right = head, .result_stride = 3 * c},
                err)) &&
           (a->to_second =
                product_alone(net,
                              (struct dnn_product){
                                  .left = turned_square, .right = head, .result_stride = 3 * c},
                              err)) &&
           (a->to_values =
                product_alone(net,
                              (struct dnn_product){
                                  .left = turned_square, .right = mixed, .result_stride = 3 * c},
                              err));
}

static bool make_attention_room(struct layerwise *net, const struct attention *a,
                                struct attention_room *room, struct error *err)
{
    size_t count = (size_t)(a->length * a->length);

    room->shares = layerwise_take(net, count * sizeof(float), err);
    room->gradient = layerwise_take(net, count * sizeof(float), err);
    if (!room->shares || !room->gradient)
        return false;
    room->shares_read = operand_take(net, room->shares, count, err);
    room->gradient_read = operand_take(net, room->gradient, count, err);
    return room->shares_read && room->gradient_read;
}

static bool attention_make(struct op *op, struct error *err)
{
    struct layerwise *net = op->net;
    struct attention *a = op->own = layerwise_take(net, sizeof *a, err);

    if (!a)
        return false;
    a->length = op->node->in.rows;
    a->channels = op->output->width;
    a->width = a->channels / op->node->heads;
    a->gradient_read = operand_take(net, op->output->gradient, op->output->count, err);
    a->rooms = layerwise_take(net, (size_t)net->threads * sizeof *a->rooms, err);
    if (!a->gradient_read || !a->rooms)
        return false;
    for (int i = 0; i < net->threads; i++)
        if (!make_attention_room(net, a, &a->rooms[i], err))
            return false;
    return make_attention_products(net, a, err);
}

static float scale_of(const struct attention *a)
{
    return (float)(1 / sqrt((double)a->width));
}

/* Where head number `index` of the batch begins: its q in the input, and its result. */
struct place {
    long q, result;
};

static struct place place_of_head(const struct op *op, long index)
{
    const struct attention *a = op->own;
    long sample = index / op->node->heads, head = index % op->node->heads;

    return (struct place){sample * a->length * 3 * a->channels + head * a->width,
                          sample * a->length * a->channels + head * a->width};
}

/* The softmax of a head's scores: of row t over positions 0 .. t, and 0 behind them. */
static void find_shares(struct op *op, const struct place *place, int thread)
{
    const struct attention *a = op->own;
    struct layerwise *net = op->net;
    const struct attention_room *room = &a->rooms[thread];
    long t = a->length;

    product_run_alone(net, a->scores, thread, operand_at(net, op->input->operand, place->q),
                      operand_at(net, op->input->operand, place->q + a->channels), room->shares);
    for (long row = 0; row < t; row++) {
        net->elements->softmax(room->shares + row * t, row + 1, scale_of(a));
        memset(room->shares + row * t + row + 1, 0, (size_t)(t - row - 1) * sizeof(float));
    }
    operand_round(net, room->shares, (struct share){0, t * t}, room->shares_read);
}

static void attention_forward(struct op *op, int thread)
{
    const struct attention *a = op->own;
    struct layerwise *net = op->net;

    for (long i = thread; i < net->batch * op->node->heads; i += net->threads) {
        const struct place place = place_of_head(op, i);

        find_shares(op, &place, thread);
        product_run_alone(net, a->mix, thread, a->rooms[thread].shares_read,
                          operand_at(net, op->input->operand, place.q + 2 * a->channels),
                          op->output->value + place.result);
    }
}

static void head_backward(struct op *op, const struct place *place, int thread)
{
    const struct attention *a = op->own;
    struct layerwise *net = op->net;
    const struct attention_room *room = &a->rooms[thread];
    long t = a->length, c = a->channels;
    void *q = operand_at(net, op->input->operand, place->q);
    void *k = operand_at(net, op->input->operand, place->q + c);
    void *v = operand_at(net, op->input->operand, place->q + 2 * c);
    void *gradient = operand_at(net, a->gradient_read, place->result);
    float *to = op->input->gradient + place->q;

    find_shares(op, place, thread);
    product_run_alone(net, a->to_values, thread, room->shares_read, gradient, to + 2 * c);
    product_run_alone(net, a->to_shares, thread, gradient, v, room->gradient);
    for (long row = 0; row < t; row++) {
        net->elements->softmax_backward(room->shares + row * t, row + 1, scale_of(a),
                                        room->gradient + row * t);
        memset(room->gradient + row * t + row + 1, 0, (size_t)(t - row - 1) * sizeof(float));
    }
    operand_round(net, room->gradient, (struct share){0, t * t}, room->gradient_read);
    product_run_alone(net, a->to_first, thread, room->gradient_read, k, to);
    product_run_alone(net, a->to_second, thread, room->gradient_read, q, to + c);
}

static void attention_backward(struct op *op, int thread)
{
    const struct attention *a = op->own;
    struct layerwise *net = op->net;

    if (net->rounds) {
        operand_round(net, op->output->gradient, share_elements(net, op->output->count, thread),
                      a->gradient_read);
        team_meet(net->team);
    }
    for (long i = thread; i < net->batch * op->node->heads; i += net->threads) {
        const struct place place = place_of_head(op, i);

        head_backward(op, &place, thread);
    }
}

const struct op_functions attention_functions = {attention_make, attention_forward,
                                                 attention_backward};
