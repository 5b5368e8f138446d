/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/conv_tiles.h"

#include "engine/train/kernels/products/product_tiles.h"
#include "engine/train/kernels/products/tile_sums.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/share.h"

#include <string.h>

struct tiles {
    bool is_f32;
    long pixels;                            /* of the output's grid, in tiles */
    long width;                             /* pixels of a line of `across` */
    long *pixel_taps;                       /* (taps): where each begins in a line of `across` */
    size_t packed_forward, packed_back;     /* numbers of one tap's weights */
    uint16_t *forward_weight, *back_weight; /* (taps), packed */
};

/* Tiles multiply 32 numbers of a pixel at a time. */
bool conv_fits_tiles(const struct layerwise *net, const struct conv *conv)
{
    return net->kernel == &product_tiles && (conv->by_windows || conv->seen % TILE_DEPTH == 0) &&
           conv->outputs % TILE_DEPTH == 0 && conv->seen <= TILE_SUMS_DEPTH_MAX &&
           conv->outputs <= TILE_SUMS_DEPTH_MAX;
}

static bool make_taps(struct op *op, struct tiles *tiles, struct error *err)
{
    const struct conv *conv = op->own;

    tiles->pixel_taps = layerwise_take(op->net, (size_t)conv->taps * sizeof(long), err);
    if (!tiles->pixel_taps)
        return false;
    for (long tap = 0; tap < conv->taps; tap++)
        tiles->pixel_taps[tap] = conv_tap_pixel(op, tap);
    return true;
}

static bool make_weights(struct op *op, struct tiles *tiles, struct error *err)
{
    const struct conv *conv = op->own;
    size_t taps = (size_t)conv->taps;

    tiles->packed_forward =
        tile_sums_packed(conv->outputs, conv->channels / TILE_DEPTH, tiles->is_f32);
    tiles->packed_back =
        tile_sums_packed(conv->channels, conv->outputs / TILE_DEPTH, tiles->is_f32);
    tiles->forward_weight =
        layerwise_take(op->net, taps * tiles->packed_forward * sizeof(uint16_t), err);
    tiles->back_weight =
        layerwise_take(op->net, taps * tiles->packed_back * sizeof(uint16_t), err);
    return tiles->forward_weight && tiles->back_weight;
}

static bool make_tiles_room(struct op *op, const struct tiles *tiles, struct room *room,
                            struct error *err)
{
    const struct conv *conv = op->own;
    size_t parts = tiles->is_f32 ? TILE_PARTS : 1;
    size_t across = parts * (size_t)(conv->channels * tiles->width);
    size_t gradient = tile_sums_packed(conv->outputs, tiles->pixels, tiles->is_f32);
    size_t tap =
        parts * (size_t)(conv->channels * conv->outputs); /* conv_tiles_pack() needs it, too */

    room->across = layerwise_take(op->net, across * sizeof(uint16_t), err);
    room->packed_gradient =
        layerwise_take(op->net, (gradient > tap ? gradient : tap) * sizeof(uint16_t), err);
    room->scratch = layerwise_take(op->net, tile_sums_scratch(), err);
    return room->across && room->packed_gradient && room->scratch;
}

static bool conv_tiles_make(struct op *op, struct error *err)
{
    struct conv *conv = op->own;
    struct tiles *tiles = conv->own = layerwise_take(op->net, sizeof *tiles, err);
    long pixels = tile_depth_of(conv_pixels(conv, &op->node->out));

    if (!tiles)
        return false;
    tiles->is_f32 = op->net->type == DNN_F32;
    tiles->pixels = pixels / TILE_DEPTH;
    tiles->width = tile_depth_of(pixels + conv_tap_pixel(op, conv->taps - 1));
    for (int i = 0; i < op->net->threads; i++)
        if (!make_tiles_room(op, tiles, &conv->rooms[i], err))
            return false;
    return make_taps(op, tiles, err) && make_weights(op, tiles, err);
}

/* Packs the weights of one tap, (rows, columns); of f32, by way of their parts. */
static void pack_tap(struct op *op, void *weights, long rows, long columns, int thread,
                     uint16_t *ret_packed)
{
    const struct conv *conv = op->own;
    const struct tiles *tiles = conv->own;
    struct matrix_operand right = {.numbers = weights, .stride = columns};

    if (tiles->is_f32) {
        right.numbers = conv->rooms[thread].packed_gradient; /* free until there is a gradient */
        split_numbers(weights, rows * columns, conv->rooms[thread].packed_gradient,
                      rows * columns);
    }
    tile_sums_pack(&right, rows * columns, rows, columns, tiles->is_f32, ret_packed);
}

static void conv_tiles_pack(struct op *op, int thread)
{
    const struct conv *conv = op->own;
    const struct tiles *tiles = conv->own;
    const struct share taps = share_of(conv->taps, 1, thread, op->net->threads);
    long each = conv->channels * conv->outputs;

    for (long tap = taps.begin; tap < taps.end; tap++) {
        pack_tap(op, operand_at(op->net, conv->forward_weight, tap * each), conv->channels,
                 conv->outputs, thread,
                 tiles->forward_weight + (size_t)tap * tiles->packed_forward);
        if (op->to_input)
            pack_tap(op, operand_at(op->net, conv->back_weight, tap * each), conv->outputs,
                     conv->channels, thread,
                     tiles->back_weight + (size_t)tap * tiles->packed_back);
    }
}

static void conv_tiles_forward(const struct op *op, long image, int thread)
{
    const struct conv *conv = op->own;
    const struct tiles *tiles = conv->own;
    const struct room *room = &conv->rooms[thread];
    const struct tile_sums sums = {.m = conv_pixels(conv, &op->node->out),
                                   .n = conv->outputs,
                                   .tiles = conv->channels / TILE_DEPTH,
                                   .is_f32 = tiles->is_f32,
                                   .terms = conv->taps,
                                   .shifts = conv->input_shifts,
                                   .left = conv_input_at(op, image),
                                   .stride = conv->channels,
                                   .part = conv->input_part,
                                   .right = tiles->forward_weight,
                                   .result = room->sums,
                                   .result_stride = conv->outputs};

    tile_sums_run(&sums, room->scratch);
}

/* The input's grid with lines of pixels instead of channels, so that a tap is a line from another
 * pixel on. */
static void turn_input(const struct op *op, long image, const struct room *room)
{
    const struct conv *conv = op->own;
    const struct tiles *tiles = conv->own;
    const uint16_t *grid = conv_input_at(op, image);
    long there = conv_pixels(conv, &op->node->out) + conv_tap_pixel(op, conv->taps - 1);
    const struct tile_depth depth = {0, there, tiles->width / TILE_DEPTH};
    uint16_t *to = room->across;

    for (long part = 0; part < (tiles->is_f32 ? TILE_PARTS : 1); part++) {
        const struct matrix_operand left = {grid + part * conv->input_part, true, conv->channels};

        for (long row = 0; row < conv->channels; row += TILE_BLOCK) {
            pack_left(&left, conv->channels, depth, row, to);
            to += TILE_BLOCK * tiles->width;
        }
    }
}

static void tiles_to_weight(const struct op *op, long image, int thread)
{
    const struct conv *conv = op->own;
    const struct tiles *tiles = conv->own;
    const struct room *room = &conv->rooms[thread];
    const struct matrix_operand gradient = {.numbers = conv_gradient_at(conv, room),
                                            .stride = conv->outputs};
    const struct tile_sums sums = {.m = conv->channels,
                                   .n = conv->outputs,
                                   .tiles = tiles->pixels,
                                   .is_f32 = tiles->is_f32,
                                   .terms = conv->taps,
                                   .shifts = tiles->pixel_taps,
                                   .left = room->across,
                                   .stride = tiles->width,
                                   .part = conv->channels * tiles->width,
                                   .right = room->packed_gradient,
                                   .result = room->weight,
                                   .result_stride = conv->outputs,
                                   .adds = true,
                                   .apart = true};

    turn_input(op, image, room);
    tile_sums_pack(&gradient, conv->gradient_part, conv_pixels(conv, &op->node->out),
                   conv->outputs, tiles->is_f32, room->packed_gradient);
    tile_sums_run(&sums, room->scratch);
}

static void tiles_to_input(const struct op *op, float *result, int thread)
{
    const struct conv *conv = op->own;
    const struct tiles *tiles = conv->own;
    const struct room *room = &conv->rooms[thread];
    const struct tile_sums sums = {.m = conv_pixels(conv, &op->node->in),
                                   .n = conv->channels,
                                   .tiles = conv->outputs / TILE_DEPTH,
                                   .is_f32 = tiles->is_f32,
                                   .terms = conv->taps,
                                   .shifts = conv->gradient_shifts,
                                   .left = room->gradient,
                                   .stride = conv->outputs,
                                   .part = conv->gradient_part,
                                   .right = tiles->back_weight,
                                   .result = result,
                                   .result_stride = conv->channels};

    tile_sums_run(&sums, room->scratch);
}

const struct conv_way conv_by_tiles = {.make = conv_tiles_make,
                                       .pack = conv_tiles_pack,
                                       .forward = conv_tiles_forward,
                                       .to_weight = tiles_to_weight,
                                       .to_input = tiles_to_input};
