/* The weights of one convolution, and what is computed with them, by threads that each have
 * images of their own: operations for chunks of several sizes, the weights in the layouts that
 * these want, and the master copy, in f32, in the layout of the gradient, so that an update is
 * one sweep. */
#pragma once

#include "engine/train/kernels/passes.h"
#include "engine/train/kernels/wgrad.h"
#include "engine/train/net.h"
#include "engine/train/onednn/dnn.h"

/* Sizes of chunk that a filter is asked for: whole chunks, and what is left at the end of a
 * thread's share, which differs by one image between threads. */
#define FILTER_COUNTS 4

struct filter_shape {
    const struct layer *layer;
    enum dnn_type type; /* how images are stored */
    bool emulated;      /* computed in f32 all the same */
    /* Who computes the gradient of the weights: the library, or one of ours. */
    bool by_hand;
    enum wgrad_kind hand;
    /* Chunks are counted in units. A unit is an image, or of 1x1 kernels a part of one: `parts`
     * of them are an image. */
    long parts;
    int count_kinds;
    long counts[FILTER_COUNTS];
};

struct filter;

/* Whether one of ours can compute the gradient of this layer's weights, from images in bf16. */
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

/* What one call of a thread works on. */
struct filter_call {
    int lane;
    long units;
    void *scratch; /* filter_scratch() bytes */
};

/* Whether the gradient of the weights can be computed in slices. */
bool filter_can_slice(const struct filter *filter);

/* Bytes that any call needs. */
size_t filter_scratch(const struct filter *filter);

bool filter_forward(struct filter *filter, const struct filter_call *call, void *input,
                    void *output, struct error *err) __attribute__((warn_unused_result));
bool filter_backward_data(struct filter *filter, const struct filter_call *call, void *gradient,
                          void *input_gradient, struct error *err)
    __attribute__((warn_unused_result));

/* Numbers in the gradient of the weights, in the filter's own layout. */
size_t filter_weights(const struct filter *filter);

/* Adds to `sum`, of filter_weights() floats; with `first`, writes it. */
struct filter_gradient {
    void *input, *gradient;
    float *sum;
    bool first;
    int slice, slices; /* only this part of the output channels; of 1: all */
};
bool filter_backward_weights(struct filter *filter, const struct filter_call *call,
                             const struct filter_gradient *work, struct error *err)
    __attribute__((warn_unused_result));

/* Takes part `index` of `of` of the update: sums the copies in their order and takes the step. */
struct filter_update {
    float *const *copies;
    int copy_count, index, of;
    const struct sgd *sgd;
};
void filter_learn(struct filter *filter, const struct filter_update *update);

/* Brings the new weights into the layouts that are computed with; 0: forward, 1: backward. */
bool filter_load(struct filter *filter, int lane, int direction, struct error *err)
    __attribute__((warn_unused_result));

/* Writes weights and gradient to the parameter, for whoever wants to see them. */
bool filter_show(struct filter *filter, struct error *err) __attribute__((warn_unused_result));

/* Calls `tell` with the implementation of each pass. */
void filter_names(const struct filter *filter, net_tell tell, void *user);
