/* The gradient of a convolution's weights, by hand: for output channel o, input channel i and the
 * kernel's row h and column w, the sum over all images and output pixels p of
 *     gradient[p][o] * input[the pixel that (h, w) sees from p][i].
 * Input and gradient are bf16 or f32, rows of channels, one row a pixel (NHWC); products are
 * summed in f32, in an order that depends on the kind, and bf16 numbers below the smallest normal
 * one may count as zero. Kinds differ in nothing else, and write the same layout. What is not
 * finite is never hidden, but may spread to more weights of its channel than it belongs to. */
#pragma once

#include "engine/machine/cpu.h"
#include "engine/train/onednn/dnn.h"

#include <stddef.h>
#include <stdint.h>

/* Kernel 1 with stride 1, kernel 3 with padding 1 and stride 1 or 2, or kernel 7 with padding 3
 * and stride 2; out_size is (in_size + stride - 1) / stride. Channels are multiples of 32, but
 * the input of kernel 7 has three; only "portable" and "amx" know it, since oneDNN is faster than
 * vectors there.
 * Images are square, and `pixels` not looked at, for kernels 3
 * and 7; kernel 1 knows only how many pixels there are in all, so that they may as well be a part
 * of an image. */
struct wgrad_shape {
    enum dnn_type type;             /* of input and gradient */
    long images, in_size, out_size; /* not of kernel 1 */
    long pixels;                    /* kernel 1 only */
    long in_channels, out_channels;
    long kernel, stride;
};

/* The portable kind takes both types, the two behind it bf16, the others f32. */
enum wgrad_kind {
    WGRAD_PORTABLE,
    WGRAD_AVX512_BF16,
    WGRAD_AMX,
    WGRAD_AVX2_F32,
    WGRAD_AVX512_F32,
};
#define WGRAD_KINDS 5

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

/* "portable", "avx512_bf16", "amx", "avx2_f32", "avx512_f32". */
const char *wgrad_kind_name(enum wgrad_kind kind);

/* The fastest kind for this type on a processor with `isa`; WGRAD_PORTABLE: none is fast. */
enum wgrad_kind wgrad_fastest(enum dnn_type type, enum cpu_isa isa);

/* Whether this kind can be run for this shape, here: false too for a shape that is not one of the
 * above, and where the kind was not compiled. */
bool wgrad_supports(enum wgrad_kind kind, const struct wgrad_shape *shape, enum cpu_isa isa);

/* Elements from one o, i, h, w to the next: ret_strides[0] to [3]. The layout depends on the
 * shape's channels and kernel alone. */
void wgrad_strides(const struct wgrad_shape *shape, long ret_strides[4]);

/* Bytes, enough for any range of output channels. */
size_t wgrad_scratch(enum wgrad_kind kind, const struct wgrad_shape *shape);

/* Allocates nothing, uses the calling thread alone, and may run on many at once. */
void wgrad_run(enum wgrad_kind kind, const struct wgrad_shape *shape,
               const struct wgrad_memory *memory);
