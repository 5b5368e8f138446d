/* The weights of one convolution and the operations on them, for threads that each own images:
 * operations for chunks of several sizes, the weights in the layouts that these want, and the
 * master copy, in f32, in the layout of the gradient, so that an update is one sweep.
 *
 * Shapes: a chunk of n units reads (n * in_size^2 / parts, in_channels) numbers and writes
 * (n * out_size^2 / parts, out_channels), rows of channels (NHWC), stored as `type` says. */
#pragma once

#include "engine/train/kernels/passes.h"
#include "engine/train/kernels/wgrad.h"
#include "engine/train/net/net.h"
#include "engine/train/onednn/dnn.h"

/* The chunk sizes of a filter: whole chunks, and the rest at the end of a thread's share, which
 * differs by one image between threads. */
#define FILTER_COUNTS 4

struct filter_shape {
    const struct layer *layer;
    enum dnn_type type; /* how images are stored */
    bool emulated;      /* stored as bf16 but computed in f32 */
    bool by_hand;       /* our kernel `hand` computes the weight gradient, not the library */
    enum wgrad_kind hand;
    /* Chunks are counted in units. A unit is an image, or of 1x1 kernels a part of one: `parts`
     * of them are an image. */
    long parts;
    int count_kinds;
    long counts[FILTER_COUNTS]; /* (count_kinds): units of a chunk; calls use no other size */
};

struct filter;

/* Whether our kernel `kind` can compute the gradient of this layer's weights, from bf16. */
bool filter_can_by_hand(const struct layer *layer, enum wgrad_kind kind, enum cpu_isa isa);

/* What filters share. */
struct filter_context {
    struct dnn *dnn;
    const struct passes *passes;
    struct parameters *parameters;
    bool keep_gradients; /* for filter_show() */
    bool momentum;       /* updates will have some */
};

struct filter *filter_new(const struct filter_context *context, const struct filter_shape *shape,
                          struct error *err) __attribute__((warn_unused_result));

/* NULL is fine. */
void filter_free(struct filter *filter);

struct filter_call {
    int lane;      /* the thread's lane of oneDNN */
    long units;    /* one of filter_shape.counts */
    void *scratch; /* (filter_scratch()) bytes, at 64; the thread's own */
};

/* Whether the gradient of the weights can be computed in slices. */
bool filter_can_slice(const struct filter *filter);

/* Bytes of scratch memory, enough for every call. */
size_t filter_scratch(const struct filter *filter);

/* Input and gradients are as wide as the shapes above say. */
bool filter_forward(struct filter *filter, const struct filter_call *call, void *input,
                    void *output, struct error *err) __attribute__((warn_unused_result));
bool filter_backward_data(struct filter *filter, const struct filter_call *call, void *gradient,
                          void *input_gradient, struct error *err)
    __attribute__((warn_unused_result));

/* Numbers in the gradient of the weights, in the filter's own layout, padding included. */
size_t filter_weights(const struct filter *filter);

/* The gradient of the weights is added to `sum`. */
struct filter_gradient {
    void *input;       /* (n * in_size^2 / parts, in_channels) stored */
    void *gradient;    /* (n * out_size^2 / parts, out_channels) stored */
    float *sum;        /* (filter_weights()) */
    bool first;        /* overwrite sum, do not add */
    int slice, slices; /* only this part of the output channels; slices 1: all of them */
};
bool filter_backward_weights(struct filter *filter, const struct filter_call *call,
                             const struct filter_gradient *work, struct error *err)
    __attribute__((warn_unused_result));

/* Part `index` of `of` of the update: sums the copies in their order and takes the step. */
struct filter_update {
    float *const *copies; /* (copy_count), each (filter_weights()) */
    int copy_count, index, of;
    const struct sgd *sgd;
};
void filter_learn(struct filter *filter, const struct filter_update *update);

/* Brings the new weights into the layouts that are computed with; 0: forward, 1: backward. */
bool filter_load(struct filter *filter, int lane, int direction, struct error *err)
    __attribute__((warn_unused_result));

/* Copies weights and gradient to the parameter, which net_parameters() shows its caller. */
bool filter_show(struct filter *filter, struct error *err) __attribute__((warn_unused_result));

/* Calls `visit` with the implementation of each pass. */
void filter_names(const struct filter *filter, net_visit visit, void *user);
