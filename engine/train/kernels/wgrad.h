/* The gradient of a convolution's weights, by hand: for output channel o, input channel i and the
 * kernel's row h and column w, the sum over all images and output pixels p of
 *     gradient[p][o] * input[the pixel that (h, w) sees from p][i].
 * Input and gradient are bf16 or f32, rows of channels, one row a pixel (NHWC); products are
 * summed in f32, in an order that depends on the kind, and bf16 numbers below the smallest normal
 * one may count as zero. Kinds differ in nothing else, and write the same layout. What is not
 * finite is never hidden, but may spread to more weights of its channel than it belongs to. */
#pragma once

#include "engine/machine/cpu.h"
#include "engine/train/kernels/wgrad_shape.h"

#include <stdbool.h>
#include <stddef.h>

/* The portable kind takes both types, the two behind it bf16, the others f32. */
enum wgrad_kind {
    WGRAD_PORTABLE,
    WGRAD_AVX512_BF16,
    WGRAD_AMX,
    WGRAD_AVX2_F32,
    WGRAD_AVX512_F32,
};
#define WGRAD_KINDS 5

/* "portable", "avx512_bf16", "amx", "avx2_f32", "avx512_f32". */
const char *wgrad_kind_name(enum wgrad_kind kind);

/* The fastest kind for this type on a processor with `isa`; WGRAD_PORTABLE: none is fast. */
enum wgrad_kind wgrad_fastest(enum dnn_type type, enum cpu_isa isa);

/* Whether this kind can run this shape here: false also for an unsupported shape, and for a kind
 * that was not compiled. */
bool wgrad_supports(enum wgrad_kind kind, const struct wgrad_shape *shape, enum cpu_isa isa);

/* Elements from one o, i, h, w to the next: ret_strides[0] to [3]. The layout depends on the
 * shape's channels and kernel alone. */
void wgrad_strides(const struct wgrad_shape *shape, long ret_strides[4]);

/* Bytes, enough for any range of output channels. */
size_t wgrad_scratch(enum wgrad_kind kind, const struct wgrad_shape *shape);

/* Allocates nothing, uses only the calling thread, and is thread-safe. */
void wgrad_run(enum wgrad_kind kind, const struct wgrad_shape *shape,
               const struct wgrad_memory *memory);
