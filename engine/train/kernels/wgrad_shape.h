/* What a gradient of weights (wgrad.h) is asked for: a shape, and the memory. */
#pragma once

#include "engine/train/onednn/dnn_shapes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kernel 1 with stride 1, kernel 3 with padding 1 and stride 1 or 2, or kernel 7 with padding 3
 * and stride 2; out_size is (in_size + stride - 1) / stride. Channels are multiples of 32, but
 * the input of kernel 7 has three; only "portable" and "amx" know it, since oneDNN is faster than
 * vectors there.
 * Images are square, and `pixels` not looked at, for kernels 3 and 7; kernel 1 knows only how
 * many pixels there are in all, so that they may as well be a part of an image. */
struct wgrad_shape {
    enum dnn_type type;             /* of input and gradient */
    long images, in_size, out_size; /* not of kernel 1 */
    long pixels;                    /* kernel 1 only */
    long in_channels, out_channels;
    long kernel, stride;
};

struct wgrad_memory {
    const void *input;    /* (images, in_size, in_size, in_channels), or (pixels, in_channels) of
                           * kernel 1; aligned to one number is enough */
    const void *gradient; /* (images, out_size, out_size, out_channels), or (pixels,
                           * out_channels); the same */
    float *weights;       /* in_channels * out_channels * kernel * kernel, by wgrad_strides() */
    void *scratch;        /* wgrad_scratch() bytes, aligned to 64; one for each thread */
    bool accumulate;      /* add to the weights, else overwrite them */
    /* Only these output channels are computed and only their weights touched, so that threads can
     * share one layer. Multiples of 32; an end of 0 means all. */
    long out_begin, out_end;
};
