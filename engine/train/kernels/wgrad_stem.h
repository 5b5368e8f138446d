/* The weight gradient of a network's first convolution: kernel 7, stride 2, padding 3, three
 * channels of input. Seven neighbouring pixels of a row of the image are 21 neighbouring numbers,
 * so that all columns of the kernel are one product: of the output's channels with a window of 32
 * numbers. The last eleven are not used. The window of the next output pixel begins two
 * pixels, six numbers, further; nothing is copied for it.
 *
 * Pixels are paired as in wgrad_pack.h. Each row of pairs is followed by zeros, which are also
 * the padding before the next row; rows of even and of odd number lie in planes of their own, so
 * that the windows of all rows of the output are one long row. */
#pragma once

#include "engine/train/kernels/wgrad_pack.h"

#define STEM_KERNEL 7
#define STEM_CHANNELS 3
#define STEM_STEP (2 * STEM_CHANNELS) /* numbers from one window to the next */
#define STEM_DEPTH 16                 /* positions that are multiplied at once */

/* Adds to 32 x 32 sums, sums[output channel][number of the window]. */
struct wgrad_stem_product {
    const uint32_t *rows;    /* positions' pairs of 32 channels, as wgrad_stem_kind.arrange left
                              * them */
    const uint32_t *columns; /* window i begins at pair STEM_STEP * i, which is not aligned */
    long depth;              /* positions / STEM_DEPTH */
    float *sums;             /* aligned to 64 */
};

struct wgrad_stem_kind {
    /* From one panel of wgrad_pack() to what `multiply` reads as rows, of the same size. */
    void (*arrange)(const uint32_t *panel, long depth, uint32_t *ret_rows);
    void (*multiply)(const struct wgrad_stem_product *product);
};

bool wgrad_is_stem(const struct wgrad_shape *shape);

size_t wgrad_stem_scratch(const struct wgrad_shape *shape);

/* As wgrad_run(), with one kind's products. Needs AVX-512. */
void wgrad_stem_run(const struct wgrad_shape *shape, const struct wgrad_memory *memory,
                    const struct wgrad_stem_kind *kind);
