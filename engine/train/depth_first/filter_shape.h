/* What a filter is made for: its layer, the sizes of its chunks, and which kernels compute it.
 * And what one call of it needs. filter.h and direction.h stand on it.
 *
 * Shapes: a chunk of n units reads (n * in_size^2 / parts, in_channels) numbers and writes
 * (n * out_size^2 / parts, out_channels), rows of channels (NHWC), stored as `type` says. */
#pragma once

#include "engine/train/kernels/conv/conv_winograd.h"
#include "engine/train/kernels/wgrad.h"
#include "engine/train/networks/network.h"

/* The chunk sizes of a filter: whole chunks, and the rest at the end of a thread's share, which
 * differs by one image between threads. */
#define FILTER_COUNTS 4

#define FILTER_DIRECTIONS 2 /* enum conv_direction */

struct filter_shape {
    const struct layer *layer;
    enum dnn_type type; /* how images are stored */
    bool emulated;      /* stored as bf16 but computed in f32 */
    bool by_hand;       /* our kernel `hand` computes the weight gradient, not the library */
    enum wgrad_kind hand;
    /* Computes the weight gradient of f32; or NULL. */
    const struct winograd_gradient *winograd;
    /* Our kernel for each direction; NULL: the library's. */
    const struct conv_kernel *kernels[FILTER_DIRECTIONS];
    /* Chunks are counted in units. A unit is an image, or of 1x1 kernels a part of one: `parts`
     * of them are an image. */
    long parts;
    int count_kinds;
    long counts[FILTER_COUNTS]; /* (count_kinds): units of a chunk; calls use no other size */
};

struct filter_call {
    int lane;        /* the thread's lane of oneDNN */
    long units;      /* one of filter_shape.counts */
    void *scratch;   /* (filter_scratch()) bytes, at 64; the thread's own */
    bool past_cache; /* as in conv_call */
};

/* Chooses our kernels for the layer where a processor with `isa` has some: for both directions,
 * and `hand` for the gradient of the weights. */
void filter_choose(struct filter_shape *shape, enum wgrad_kind hand, enum cpu_isa isa);

/* Whether our kernel `kind` can compute the gradient of this layer's weights, from `type`. */
bool filter_can_by_hand(const struct layer *layer, enum dnn_type type, enum wgrad_kind kind,
                        enum cpu_isa isa);

/* Which of shape->counts has so many units. */
int filter_count_of(const struct filter_shape *shape, long units);

/* A chunk of so many units, as the library sees it, as our convolutions see it, and as our
 * kernel for the gradient of the weights does. */
struct dnn_convolution filter_chunk(const struct filter_shape *shape, long units);
struct conv_shape filter_conv(const struct filter_shape *shape, enum conv_direction direction);
long filter_conv_images(const struct filter_shape *shape, long units);
struct wgrad_shape filter_wgrad(const struct filter_shape *shape, long units);

/* Numbers in a chunk of so many units: of what the layer reads, and of what it writes. */
size_t filter_input_count(const struct filter_shape *shape, long units);
size_t filter_output_count(const struct filter_shape *shape, long units);

/* Takes `count` floats from *scratch and moves it behind them, to a multiple of 64 bytes. */
float *filter_room(size_t count, float **scratch);

/* Zeroed bytes at a cache line, for free(); NULL for size 0 or without memory. */
void *filter_memory(size_t size);
