/* Winograd's convolutions: kernel 3, stride 1, padded or not, in f32 from f32 or from bf16. Tiles
 * of 4x4 result pixels are computed from 6x6 transformed numbers, with 4 times fewer products
 * than the definition has; the last tiles of an image may be partly outside of it.
 *
 * Against f64, in the layers of ResNet-50, the error is about twice the error of the direct f32
 * kernels (3e-7 to 8e-7 of the results, rms), up to 2.5 times where it is largest:
 * bench/winograd_error.c. conv_kernel_for() returns none of them. */
#pragma once

#include "engine/train/kernels/conv/conv_kernel.h"

/* A kernel as conv.h has it, in both directions, with all ends; NULL where there is none. */
const struct conv_kernel *conv_winograd_for(enum cpu_isa isa, enum dnn_type type,
                                            const struct conv_shape *shape);

/* All that were compiled, for tests; NULL behind the last. */
const struct conv_kernel *conv_winograd_at(int index);

/* The gradient of the weights in the same way, for the same shapes (their direction is not looked
 * at): sums of transformed numbers over any number of calls, and from them the gradient. The
 * error is one to three times the error of f32 sums as they are defined. */
struct winograd_gradient_call {
    long images;
    const void *input;    /* (images * size * pitch, in_channels) stored */
    const void *gradient; /* (images * size * size, out_channels) stored, of the output */
    float *sums;          /* sums_size() bytes */
    bool first;           /* overwrite the sums, do not add */
    void *scratch;        /* scratch_size() bytes at 64 bytes, the thread's own */
    long pitch;           /* pixels from a line of the input to the next; 0: its size */
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
    enum cpu_isa isa;               /* required instruction set */
    enum dnn_type type;             /* of what is stored */
    long out_multiple, in_multiple; /* of the channels */

    size_t (*sums_size)(const struct conv_shape *shape); /* bytes */
    size_t (*scratch_size)(const struct conv_shape *shape);
    /* Allocates nothing, uses only the calling thread, and is thread-safe. */
    void (*add)(const struct conv_shape *shape, const struct winograd_gradient_call *call);
    /* Adds up what several threads have summed, and writes part `index` of `of` of the gradient:
     * the output channels from part * (channels / out_multiple) / of * out_multiple on. */
    void (*finish)(const struct conv_shape *shape, const struct winograd_gradient_sums *sums,
                   int index, int of, const struct winograd_gradient_result *result);
};

/* NULL where there is none. */
const struct winograd_gradient *winograd_gradient_for(enum cpu_isa isa, enum dnn_type type,
                                                      const struct conv_shape *shape);

/* All that were compiled, for tests; NULL behind the last. */
const struct winograd_gradient *winograd_gradient_at(int index);
