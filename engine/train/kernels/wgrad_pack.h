/* How the fast kinds of wgrad.h see pixels: in pairs, since the processor sums the products of
 * two neighbours, and in panels of 32 channels.
 *
 * In a 3x3 convolution the partner of a pixel is the same pixel of the next image or, where the
 * number of images is odd, the one half an image further down. So each of the nine shifts moves
 * whole pairs, and one packed copy of the input serves them all. */
#pragma once

#include "engine/train/kernels/wgrad.h"

#define PANEL 32 /* channels, hence uint32_t for one pair: the first pixel is in the low half */

struct wgrad_pairing {
    long groups; /* pairs of images, or single images */
    long rows;   /* of output pairs in each group */
    long images; /* in a group: 2, or 1 whose halves are paired */
};

/* `count` pairs, `step` elements from one to the next; NULL stands for zeros. */
struct wgrad_pairs {
    const uint16_t *first, *second;
    long step, count;
};

/* Rows of the result are the side with fewer channels in a 1x1 convolution, since packing them
 * may cost more; the output channels in a 3x3. */
bool wgrad_rows_are_inputs(const struct wgrad_shape *shape);

struct wgrad_sides {
    const uint16_t *rows, *columns;
    long row_channels, column_channels;                /* in memory */
    long row_begin, row_end, column_begin, column_end; /* to be computed */
};

struct wgrad_sides wgrad_sides(const struct wgrad_shape *shape,
                               const struct wgrad_memory *memory);

struct wgrad_pairing wgrad_pairing(const struct wgrad_shape *shape);

/* A row of output pairs, all columns. */
struct wgrad_pairs wgrad_output_row(const struct wgrad_shape *shape, const uint16_t *gradient,
                                    long group, long row);

/* A row of input pairs, all columns; row -padding to stride * (rows - 1) + padding of the
 * pairing. Where it lies outside of the image both are NULL. */
struct wgrad_pairs wgrad_input_row(const struct wgrad_shape *shape, const uint16_t *input,
                                   long group, long row);

/* Packs one panel, channels [channel, channel + 32), of these pairs: [pair][channel]. The panel
 * is aligned to 64 bytes. Needs AVX-512. */
void wgrad_pack(const struct wgrad_pairs *pairs, long channel, uint32_t *ret_panel);

/* The same of `pixels` neighbouring pixels of `channels`; an odd last one is paired with zeros.
 */
void wgrad_pack_pixels(const uint16_t *values, long pixels, long channels, long channel,
                       uint32_t *ret_panel);
