/* A convolution of stride 1 as products of matrices whose rows are pixels. Each thread takes
 * images of its own, and lays out one at a time in a grid: pixel after pixel, all channels of
 * each, with zeros around the image; the zeros behind a line are those before the next one. What
 * one tap of the kernel sees of all pixels is then the grid itself, from another pixel on.
 * Between the lines of the result products make numbers that are no pixels of it; they are not
 * read.
 *
 * An image without padding is its own grid. One of few channels is laid out as windows instead:
 * each pixel has all that its window sees, and the kernel has one tap.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/kernels/products/product_pack.h"
#include "engine/train/layerwise/conv_image.h"
#include "engine/train/layerwise/conv_panels.h"
#include "engine/train/layerwise/conv_taps.h"
#include "engine/train/layerwise/conv_tiles.h"
#include "engine/train/layerwise/conv_winograd_back.h"
#include "engine/train/layerwise/kinds.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/share.h"

#include <string.h>

#define FEW_CHANNELS 16

/* Numbers of the grid of so many results: the last one's window ends behind the last line. */
static size_t grid_numbers(const struct conv *conv, long lines, long channels)
{
    return (size_t)(((lines + conv->spread) * conv->pitch + conv->spread) * channels);
}

/* Of the grid of an image of the input. */
static size_t input_numbers(const struct op *op, const struct conv *conv)
{
    return grid_numbers(conv, op->node->out.height, conv->channels);
}

static bool make_conv_room(struct op *op, const struct conv *conv, struct room *room,
                           struct error *err)
{
    struct layerwise *net = op->net;
    const struct extent *in = &op->node->in, *out = &op->node->out;
    long widest = conv->channels > conv->outputs ? conv->channels : conv->outputs;
    long most = in->height > out->height ? in->height : out->height;
    long wide = in->width > out->width ? in->width : out->width;
    size_t parts = conv->gradient_part ? TILE_PARTS : 1;
    size_t sums = (size_t)(most * conv->pitch * widest);
    bool wants_plain = conv->by_windows && conv->input_part;

    room->gradient = layerwise_take(
        net, parts * grid_numbers(conv, in->height, conv->outputs) * conv->size, err);
    room->sums = layerwise_take(net, sums * sizeof(float), err);
    room->weight = layerwise_take(net, conv->weight_bytes, err);
    room->bias = layerwise_take(net, (size_t)conv->outputs * sizeof(double), err);
    room->row = layerwise_take(net, (size_t)conv->outputs * sizeof(float), err);
    room->line = layerwise_take(net, (size_t)(wide * widest) * sizeof(float), err);
    if (wants_plain)
        room->plain = layerwise_take(net, input_numbers(op, conv) * sizeof(float), err);
    return room->gradient && room->sums && room->weight && room->bias && room->row &&
           room->line && (room->plain || !wants_plain);
}

static void measure_grid(const struct op *op, struct conv *conv)
{
    const struct node *node = op->node;

    conv->outputs = node->columns;
    conv->by_windows = node->in.columns < FEW_CHANNELS && !op->to_input;
    if (conv->by_windows) {
        conv->taps = 1;
        conv->seen = node->in.columns * node->kernel * node->kernel;
        conv->pitch = node->out.width;
    } else {
        conv->taps = node->kernel * node->kernel;
        conv->seen = node->in.columns;
        conv->spread = node->kernel - 1;
        conv->pitch = node->in.width + node->padding;
        conv->as_it_lies = node->padding == 0 && op->input->channels_last;
        conv->gradient_padding = conv->spread - node->padding;
    }
}

static void measure_tiles(const struct op *op, struct conv *conv)
{
    conv->way = &conv_by_tiles;
    conv->channels = tile_depth_of(conv->seen);
    if (op->net->type == DNN_F32) {
        conv->size = sizeof(uint16_t);
        conv->input_part = (long)input_numbers(op, conv);
        conv->gradient_part = (long)grid_numbers(conv, op->node->in.height, conv->outputs);
    }
}

static void conv_measure(const struct op *op, struct conv *conv)
{
    measure_grid(op, conv);
    conv->gradient_pitch = conv->pitch;
    conv->way = &conv_by_taps;
    conv->channels = conv->seen;
    conv->size = dnn_type_size(op->net->type);
    if (conv_fits_panels(op, conv))
        conv->way = &conv_by_panels;
    if (conv_fits_tiles(op->net, conv))
        measure_tiles(op, conv);
    conv->back = conv->way;
    if (conv_fits_winograd(op, conv)) {
        conv->back = &conv_back_by_winograd;
        conv->gradient_pitch = op->node->out.width;
        conv->gradient_padding = 0;
    }
    conv->weight_bytes = (size_t)(conv->taps * conv->channels * conv->outputs) * sizeof(float);
    if (conv->back->weight_bytes)
        conv->weight_bytes = conv->back->weight_bytes(op);
}

static bool make_inputs(struct op *op, struct conv *conv, struct error *err)
{
    size_t parts = conv->input_part ? TILE_PARTS : 1;

    if (conv->as_it_lies && !conv->input_part)
        return true;
    conv->input_numbers = parts * input_numbers(op, conv);
    conv->inputs =
        layerwise_take(op->net, (size_t)op->net->batch * conv->input_numbers * conv->size, err);
    return conv->inputs != NULL;
}

static bool make_shifts(struct op *op, struct conv *conv, struct error *err)
{
    size_t bytes = (size_t)conv->taps * sizeof(long);

    conv->input_shifts = layerwise_take(op->net, bytes, err);
    conv->gradient_shifts = layerwise_take(op->net, bytes, err);
    if (!conv->input_shifts || !conv->gradient_shifts)
        return false;
    for (long tap = 0; tap < conv->taps; tap++) {
        conv->input_shifts[tap] = conv_tap_pixel(op, tap) * conv->channels;
        conv->gradient_shifts[tap] = conv_tap_pixel(op, tap) * conv->outputs;
    }
    return true;
}

static bool conv_make(struct op *op, struct error *err)
{
    struct conv *conv = op->own = layerwise_take(op->net, sizeof *conv, err);
    size_t bytes;

    if (!conv)
        return false;
    conv_measure(op, conv);
    bytes = (size_t)(conv->taps * conv->channels * conv->outputs) * dnn_type_size(op->net->type);
    conv->forward_weight = layerwise_take(op->net, bytes, err);
    conv->back_weight = layerwise_take(op->net, bytes, err);
    conv->rooms = layerwise_take(op->net, (size_t)op->net->threads * sizeof *conv->rooms, err);
    if (!conv->forward_weight || !conv->back_weight || !conv->rooms ||
        !make_inputs(op, conv, err) || !make_shifts(op, conv, err))
        return false;
    for (int i = 0; i < op->net->threads; i++)
        if (!make_conv_room(op, conv, &conv->rooms[i], err))
            return false;
    return conv->way->make(op, err) && (conv_goes_back(op) || conv->back->make(op, err));
}

/* Brings the weights of some outputs to the order of the products. */
static void arrange_weights(struct op *op, struct share outputs)
{
    const struct conv *conv = op->own;
    struct layerwise *net = op->net;
    size_t type = dnn_type_size(net->type);
    long channels = conv->channels, all = conv->outputs;

    for (long o = outputs.begin; o < outputs.end; o++)
        for (long c = 0; c < conv->seen; c++) {
            void *taps =
                operand_at(net, operand_of_parameter(op, 0), (o * conv->seen + c) * conv->taps);
            long last = (conv->taps - 1) * all * channels;

            grid_copy(type, taps, conv->taps, operand_at(net, conv->forward_weight, c * all + o),
                      channels * all);
            if (op->to_input && conv_goes_back(op))
                grid_copy(type, taps, conv->taps,
                          operand_at(net, conv->back_weight, last + o * channels + c),
                          -channels * all);
        }
}

static void conv_pack(struct op *op, int thread)
{
    const struct conv *conv = op->own;

    if (conv->way->pack)
        conv->way->pack(op, thread);
    if (!conv_goes_back(op))
        conv->back->pack(op, thread);
}

/* Convolutions that feed one another alone go through an image together: its numbers are still in
 * a cache. The first one takes the others along, and the last one on the way back. */
static void conv_forward(struct op *op, int thread)
{
    const struct layerwise *net = op->net;
    const struct share images = share_of(net->batch, 1, thread, net->threads);

    if (op->feeder)
        return;
    for (struct op *of = op; of; of = of->fed)
        arrange_weights(of, share_of(of->node->columns, 1, thread, net->threads));
    team_meet(net->team);
    for (struct op *of = op; of; of = of->fed)
        conv_pack(of, thread);
    team_meet(net->team);
    for (long n = images.begin; n < images.end; n++)
        for (const struct op *of = op; of; of = of->fed)
            conv_image_forward(of, n, thread);
}

static void clear_room(const struct op *op, int thread)
{
    const struct conv *conv = op->own;
    const struct room *room = &conv->rooms[thread];

    memset(room->weight, 0, conv->weight_bytes);
    memset(room->bias, 0, (size_t)conv->outputs * sizeof *room->bias);
}

static void sum_biases(struct op *op, struct share outputs)
{
    const struct conv *conv = op->own;

    for (long o = outputs.begin; o < outputs.end; o++) {
        double sum = 0;

        for (int i = 0; i < op->net->threads; i++)
            sum += conv->rooms[i].bias[o];
        gradient_of_parameter(op, 1)[o] = (float)sum;
    }
}

static void sum_weights(struct op *op, struct share outputs)
{
    const struct conv *conv = op->own;
    float *weight = gradient_of_parameter(op, 0);

    for (long o = outputs.begin; o < outputs.end; o++)
        for (long c = 0; c < conv->seen; c++)
            for (long tap = 0; tap < conv->taps; tap++) {
                long at = (tap * conv->channels + c) * conv->outputs + o;
                float total = conv->rooms[0].weight[at];

                for (int i = 1; i < op->net->threads; i++)
                    total += conv->rooms[i].weight[at];
                weight[(o * conv->seen + c) * conv->taps + tap] = total;
            }
}

/* Sums what the threads have found, in their order: the gradient of some outputs. */
static void sum_rooms(struct op *op, int thread)
{
    const struct conv *conv = op->own;
    const struct share outputs = share_of(op->node->columns, 1, thread, op->net->threads);

    sum_biases(op, outputs);
    if (conv->back->sum)
        conv->back->sum(op, thread);
    else
        sum_weights(op, outputs);
}

static void conv_backward(struct op *op, int thread)
{
    const struct layerwise *net = op->net;
    const struct share images = share_of(net->batch, 1, thread, net->threads);

    if (op->fed)
        return;
    for (struct op *of = op; of; of = of->feeder)
        clear_room(of, thread);
    for (long n = images.begin; n < images.end; n++)
        for (const struct op *of = op; of; of = of->feeder)
            conv_image_backward(of, n, thread);
    team_meet(net->team);
    for (struct op *of = op; of; of = of->feeder)
        sum_rooms(of, thread);
}

const struct op_functions conv_functions = {conv_make, conv_forward, conv_backward};
