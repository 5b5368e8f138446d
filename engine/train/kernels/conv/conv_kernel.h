/* Convolutions by hand, forward and backward to the data, with the work behind them done while a
 * block of the result is in registers or in the nearest cache.
 *
 * Images are square and stored as rows of channels, one row a pixel (NHWC). In this file (pixels,
 * channels) says what a tensor holds. The padding is (kernel - 1) / 2 on each side, or none. A
 * backward convolution reads the gradient of the output and writes the gradient of the input: `k`
 * are the channels it reads, `n` those it writes, whichever direction.
 *
 * Direct kernels differ in the order of their sums only. Winograd's kernels (conv_winograd.h)
 * have an error of their own. */
#pragma once

#include "engine/machine/cpu.h"
#include "engine/train/onednn/dnn_shapes.h"

#include <stdbool.h>
#include <stddef.h>

#define CONV_K_MAX 4096 /* channels of a pixel of the input */

enum conv_direction { CONV_FORWARD, CONV_BACKWARD_DATA };

/* Kernel 1 or 3 with stride 1 or 2, in both directions; or the first layer of ResNet, kernel 7
 * with stride 2 and 3 input channels, forward. Pixels of a 1x1 convolution with stride 1 do not
 * know their neighbours: size 1 and as many images as there are pixels describe any run of
 * them. */
struct conv_shape {
    enum conv_direction direction;
    long in_size, out_size; /* height and width; out_size: in_size / stride, rounded up */
    long in_channels, out_channels;
    long kernel, stride;
};

/* What happens to the result. Sums are over the numbers as stored. */
enum conv_end_kind {
    CONV_PLAIN, /* it is stored */
    /* Stored; sums[0, n) += result, sums[n, 2n) += result * result. */
    CONV_SUMS,
    /* Stored where values * scale + shift > 0, elsewhere 0; sums[0, n) += result,
     * sums[n, 2n) += result * (values - mean). Product and sum are rounded one by one, as
     * passes.h activates. */
    CONV_INNER,
    /* `add` is added, the sum stored where active > 0, elsewhere 0; sums as CONV_INNER. */
    CONV_KEPT,
    /* As CONV_KEPT, and sums[2n, 3n) += result * (other_values - other_mean). */
    CONV_OTHER,
};
#define CONV_END_KINDS 5

/* Members that a kind does not name are ignored. `result` may be the same memory as values,
 * active, add or other_values, but not overlap the input. */
struct conv_end {
    enum conv_end_kind kind;
    void *result;                                     /* (pixels, n) stored */
    double *sums;                                     /* (2, n), or (3, n) */
    const void *values, *active, *add, *other_values; /* (pixels, n) stored */
    const float *affine;                              /* (2, n): scale, then shift */
    const float *mean, *other_mean;                   /* (n) */
};

/* f32 weights with so many numbers from one output channel, input channel, row and column of the
 * kernel to the next. */
struct conv_weights {
    const float *values;
    long strides[4];
};

struct conv_call {
    long images;
    const void *input;  /* (images * size * size, k) stored */
    const void *panels; /* what pack() wrote, at 64 bytes */
    void *scratch;      /* scratch_size() bytes at 64 bytes, the thread's own; NULL for 0 */
    struct conv_end end;
    /* The result is larger than a cache and is not read soon: the tile kernel stores it past the
     * caches if it lies at 64 bytes and the kind reads nothing (CONV_PLAIN, CONV_SUMS). run()
     * orders these stores before what follows it. Other kernels do not look. */
    bool past_cache;
};

/* Packed weights lie in panels of neighbouring result channels, a panel in the order in which the
 * products read it: f32 as [n / panel][tap][k][panel]; bf16 as [n / 32][tap][k / 32][even n, odd
 * n][16 pairs][16][2], each pair two neighbours of k. A tap of the first layer is a row of the
 * kernel: its seven columns and three channels are neighbours in memory, and k is 21, for bf16
 * filled up to 32. A backward convolution with stride 2 has four classes of result pixels, which
 * see 1, 2, 2 and 4 taps of a 3x3 kernel; its panels are ordered class by class. */
struct conv_kernel {
    const char *name;
    enum cpu_isa isa; /* required instruction set */
    enum dnn_type type;
    long n_multiple, k_multiple; /* of the channels; k of the first layer is any */
    bool unpadded; /* it also computes shapes without padding: out_size is in_size - kernel + 1 */

    size_t (*panels_size)(const struct conv_shape *shape); /* bytes */
    /* Part `index` of `of` of the panels: all parts together write all of them. */
    void (*pack)(const struct conv_shape *shape, const struct conv_weights *weights, int index,
                 int of, void *ret_panels);
    size_t (*scratch_size)(const struct conv_shape *shape, long images); /* bytes */
    /* Allocates nothing, uses only the calling thread, and is thread-safe. */
    void (*run)(const struct conv_shape *shape, const struct conv_call *call);
};
