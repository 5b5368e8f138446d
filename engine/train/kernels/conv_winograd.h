/* Winograd's convolutions: kernel 3, stride 1, f32. Tiles of tile x tile result pixels are
 * computed from (tile + 2)^2 transformed numbers, with 2.25 (tile 2) or 4 (tile 4) times fewer
 * products than the definition has; the last tiles of an image may be partly outside of it.
 *
 * Against f64, in the layers of ResNet-50, the error of tile 2 is no larger than that of the
 * direct kernels (rms 2e-7 to 6e-7 of the results' rms), that of tile 4 about four times as large
 * and up to nine times where it is largest: tests/bench/winograd_error.c. The choice belongs to
 * the caller, so conv_kernel_for() returns none of them. */
#pragma once

#include "engine/train/kernels/conv.h"

/* A kernel as conv.h has it, in both directions, with all ends; NULL where there is none. `tile`
 * is 2 or 4. */
const struct conv_kernel *conv_winograd_for(enum cpu_isa isa, int tile,
                                            const struct conv_shape *shape);

/* All that were compiled, for tests; NULL behind the last. */
const struct conv_kernel *conv_winograd_at(int index);

/* The gradient of the weights in the same way, for the same shapes (their direction is not looked
 * at): sums of transformed numbers over any number of calls, and from them the gradient. The
 * error of tile 2 is about that of f32 sums as they are defined, that of tile 4 three to six
 * times that of tile 2. */
struct winograd_gradient_call {
    long images;
    const float *input;    /* (images * size * size, in_channels) */
    const float *gradient; /* (images * size * size, out_channels), of the output */
    float *sums;           /* sums_size() bytes */
    bool first;            /* overwrite the sums, do not add */
    void *scratch;         /* scratch_size() bytes at 64 bytes, the thread's own */
};

struct winograd_gradient_sums {
    const float *const *copies; /* (count), each sums_size() bytes */
    int count;                  /* 1 or more */
};

/* Numbers from one output channel, input channel, row and column of the kernel to the next. */
struct winograd_gradient_result {
    float *values;
    long strides[4];
};

struct winograd_gradient {
    const char *name;
    enum cpu_isa isa; /* what the processor must have */
    int tile;
    long out_multiple, in_multiple; /* of the channels */

    size_t (*sums_size)(const struct conv_shape *shape); /* bytes */
    size_t (*scratch_size)(const struct conv_shape *shape);
    /* Allocates nothing, uses the calling thread alone, and may run on many at once. */
    void (*add)(const struct conv_shape *shape, const struct winograd_gradient_call *call);
    /* Adds up what several threads have summed, and writes part `index` of `of` of the gradient:
     * the output channels from part * (channels / out_multiple) / of * out_multiple on. */
    void (*finish)(const struct conv_shape *shape, const struct winograd_gradient_sums *sums,
                   int index, int of, const struct winograd_gradient_result *result);
};

/* NULL where there is none. */
const struct winograd_gradient *winograd_gradient_for(enum cpu_isa isa, int tile,
                                                      const struct conv_shape *shape);

/* All that were compiled, for tests; NULL behind the last. */
const struct winograd_gradient *winograd_gradient_at(int index);
