/* Weight gradients in vector registers: the input and the output's gradient are cut into strips,
 * a strip into panels of 32 channels (wgrad_pack.h), and panels are packed and multiplied while
 * they are in cache. What differs between number formats and instruction sets is a
 * wgrad_strip_kind. Tested by tests/engine/train/kernels/wgrad_test.c. */
#pragma once

#include "engine/train/kernels/wgrad_pack.h"

/* Where a run of pairs begins in a panel of rows and in one of columns. */
struct wgrad_span {
    long row, column;
};

/* What one tap of the kernel multiplies with what. */
struct wgrad_tap {
    const struct wgrad_span *spans;
    long span_count, width;
    long row_shift, column_shift; /* of all spans */
};

/* sums[row][column], 32 x 32 of them, from one panel of rows and one of columns; or added to what
 * they are. A pair's words lie side by side. In rows a pair begins PANEL words after the one
 * before, in columns column_step words. */
struct wgrad_strip_product {
    const void *rows, *columns;
    struct wgrad_tap tap;
    long column_step;
    float *sums;
    long stride; /* of the sums' rows */
    bool accumulate;
};

struct wgrad_strip_kind {
    /* Pairs of a strip, about: its panels are what is packed at a time. Long enough that reading
     * and writing the sums hardly counts, short enough that the panels stay in a second-level
     * cache. */
    long strip;
    /* As wgrad_pack() and wgrad_pack_pixels(). */
    void (*pack)(const struct wgrad_pairs *pairs, long channel, void *ret_panel);
    void (*pack_pixels)(const void *values, long pixels, long channels, long channel,
                        void *ret_panel);
    void (*multiply)(const struct wgrad_strip_product *product);
};

/* As wgrad_scratch() and wgrad_run(), for kernels 1 and 3. */
size_t wgrad_strip_scratch(const struct wgrad_shape *shape, const struct wgrad_strip_kind *kind);
void wgrad_strip_run(const struct wgrad_shape *shape, const struct wgrad_memory *memory,
                     const struct wgrad_strip_kind *kind);
