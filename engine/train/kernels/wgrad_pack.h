/* How the fast kinds of wgrad.h see pixels: in panels of 32 channels, and of bf16 in pairs, since
 * the processor sums the products of two neighbours. A pixel in f32 takes the place of a pair.
 *
 * In a 3x3 convolution the partner of a pixel is the same pixel of the next image or, where the
 * number of images is odd, the one half an image further down. So each of the nine shifts moves
 * whole pairs, and one packed copy of the input serves them all. */
#pragma once

#include "engine/train/kernels/wgrad_shape.h"

/* Channels, hence words for one pair or pixel: floats, or uint32_t with the pair's first pixel in
 * the low half. */
#define PANEL 32

struct wgrad_pairing {
    long groups; /* pairs of images, or single images */
    long rows;   /* of output pairs in each group */
    long images; /* in a group: 2, or 1 whose halves are paired */
    bool single; /* f32: each pixel stands alone, in a group for each image */
};

/* `count` pairs, `step` numbers from one to the next; NULL stands for zeros, also for the second
 * of each f32 "pair". */
struct wgrad_pairs {
    const void *first, *second;
    long step, count;
};

/* The address of a number. */
const void *wgrad_number(const struct wgrad_shape *shape, const void *values, long index);

/* Rows of the result are the side with fewer channels in a 1x1 convolution, since packing them
 * may cost more; the output channels in a 3x3. */
bool wgrad_rows_are_inputs(const struct wgrad_shape *shape);

struct wgrad_sides {
    const void *rows, *columns;
    long row_channels, column_channels;                /* in memory */
    long row_begin, row_end, column_begin, column_end; /* to be computed */
};

struct wgrad_sides wgrad_sides(const struct wgrad_shape *shape,
                               const struct wgrad_memory *memory);

struct wgrad_pairing wgrad_pairing(const struct wgrad_shape *shape);

/* A row of output pairs, all columns. */
struct wgrad_pairs wgrad_output_row(const struct wgrad_shape *shape, const void *gradient,
                                    long group, long row);

/* A row of input pairs, all columns; row -padding to stride * (rows - 1) + padding of the
 * pairing. Where it lies outside of the image both are NULL. */
struct wgrad_pairs wgrad_input_row(const struct wgrad_shape *shape, const void *input, long group,
                                   long row);

/* Packs one panel, channels [channel, channel + 32), of these pairs of bf16: [pair][channel]. The
 * panel is aligned to 64 bytes. Needs AVX-512. */
void wgrad_pack(const struct wgrad_pairs *pairs, long channel, uint32_t *ret_panel);

/* The same of `pixels` neighbouring pixels of `channels`; an odd last one is paired with zeros.
 */
void wgrad_pack_pixels(const uint16_t *values, long pixels, long channels, long channel,
                       uint32_t *ret_panel);
