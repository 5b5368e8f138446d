/* Each tap is summed by itself: in one long sum the rounding is larger, decides more ReLUs near
 * zero, and picks among nearly equal numbers of a pool otherwise than exact sums do.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/conv_taps.h"

#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/product.h"
#include "engine/train/layerwise/share.h"

struct taps {
    const struct product_alone *forward, *forward_more, *to_weight, *to_input, *to_input_more;
};

static bool make_tap_products(struct op *op, struct taps *taps, struct error *err)
{
    const struct conv *conv = op->own;
    struct layerwise *net = op->net;
    long channels = conv->channels, outputs = conv->outputs;
    long pixels = conv_pixels(conv, &op->node->out);
    struct dnn_product forward = {
        .left = {.rows = pixels, .columns = channels, .stride = channels},
        .right = {.rows = channels, .columns = outputs}};
    struct dnn_product to_input = {
        .left = {.rows = conv_pixels(conv, &op->node->in), .columns = outputs, .stride = outputs},
        .right = {.rows = outputs, .columns = channels}};
    const struct dnn_product to_weight = {
        .left = {.rows = channels, .columns = pixels, .transposed = true, .stride = channels},
        .right = {.rows = pixels, .columns = outputs},
        .adds = true};

    taps->forward = product_alone(net, forward, err);
    forward.adds = true;
    taps->forward_more = product_alone(net, forward, err);
    if (!taps->forward || !taps->forward_more)
        return false;
    if (!conv_goes_back(op))
        return true;
    taps->to_weight = product_alone(net, to_weight, err);
    if (!taps->to_weight || !op->to_input)
        return taps->to_weight;
    taps->to_input = product_alone(net, to_input, err);
    to_input.adds = true;
    taps->to_input_more = product_alone(net, to_input, err);
    return taps->to_input && taps->to_input_more;
}

static bool conv_taps_make(struct op *op, struct error *err)
{
    struct conv *conv = op->own;

    conv->own = layerwise_take(op->net, sizeof(struct taps), err);
    return conv->own && make_tap_products(op, conv->own, err);
}

static void conv_taps_forward(const struct op *op, long image, int thread)
{
    const struct conv *conv = op->own;
    const struct taps *taps = conv->own;
    void *grid = conv_input_at(op, image);

    for (long tap = 0; tap < conv->taps; tap++)
        product_run_alone(
            op->net, tap == 0 ? taps->forward : taps->forward_more, thread,
            conv_grid_at(conv, grid, conv->input_shifts[tap]),
            operand_at(op->net, conv->forward_weight, tap * conv->channels * conv->outputs),
            conv->rooms[thread].sums);
}

static void taps_to_weight(const struct op *op, long image, int thread)
{
    const struct conv *conv = op->own;
    const struct taps *taps = conv->own;
    const struct room *room = &conv->rooms[thread];
    void *grid = conv_input_at(op, image);

    for (long tap = 0; tap < conv->taps; tap++)
        product_run_alone(
            op->net, taps->to_weight, thread, conv_grid_at(conv, grid, conv->input_shifts[tap]),
            conv_gradient_at(conv, room), room->weight + tap * conv->channels * conv->outputs);
}

static void taps_to_input(const struct op *op, float *result, int thread)
{
    const struct conv *conv = op->own;
    const struct taps *taps = conv->own;

    for (long tap = 0; tap < conv->taps; tap++)
        product_run_alone(
            op->net, tap == 0 ? taps->to_input : taps->to_input_more, thread,
            conv_grid_at(conv, conv->rooms[thread].gradient, conv->gradient_shifts[tap]),
            operand_at(op->net, conv->back_weight, tap * conv->channels * conv->outputs), result);
}

const struct conv_way conv_by_taps = {.make = conv_taps_make,
                                      .forward = conv_taps_forward,
                                      .to_weight = taps_to_weight,
                                      .to_input = taps_to_input};
