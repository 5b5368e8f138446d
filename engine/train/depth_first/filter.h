/* The weights of one convolution and the operations on them, for threads that each own images:
 * both directions with the weights as these read them (direction.h), and the master copy, in f32,
 * in the layout of the gradient, so that an update is one sweep. Shapes: filter_shape.h. */
#pragma once

#include "engine/train/depth_first/filter_shape.h"
#include "engine/train/kernels/passes.h"
#include "engine/train/net/net.h"

struct filter;

/* What filters share. */
struct filter_context {
    struct dnn *dnn;
    const struct passes *passes;
    struct parameters *parameters;
    bool keep_gradients; /* for filter_show() and filter_sum() */
    bool momentum;       /* updates will have some */
};

MUST_USE struct filter *filter_new(const struct filter_context *context,
                                   const struct filter_shape *shape, struct error *err);

/* NULL is fine. */
void filter_free(struct filter *filter);

/* Whether the gradient of the weights can be computed in slices. */
bool filter_can_slice(const struct filter *filter);

/* Bytes of scratch memory, enough for every call. */
size_t filter_scratch(const struct filter *filter);

/* Computes a chunk of `input`, forward or backward, and ends it as `end` says; see
 * direction_run(). Forward reads the layer's input, backward the gradient of its output. */
MUST_USE bool filter_run(struct filter *filter, const struct filter_call *call,
                         enum conv_direction direction, void *input, const struct conv_end *end,
                         struct error *err);

/* The same, but only the convolution. */
MUST_USE static inline bool filter_forward(struct filter *filter, const struct filter_call *call,
                                           void *input, void *output, struct error *err)
{
    const struct conv_end end = {.kind = CONV_PLAIN, .result = output};

    return filter_run(filter, call, CONV_FORWARD, input, &end, err);
}

MUST_USE static inline bool filter_backward_data(struct filter *filter,
                                                 const struct filter_call *call, void *gradient,
                                                 void *input_gradient, struct error *err)
{
    const struct conv_end end = {.kind = CONV_PLAIN, .result = input_gradient};

    return filter_run(filter, call, CONV_BACKWARD_DATA, gradient, &end, err);
}

/* Numbers in a sum of gradients of the weights, as the filter sums them. */
size_t filter_weights(const struct filter *filter);

/* The gradient of the weights is added to `sum`. */
struct filter_gradient {
    void *input;       /* (n * in_size^2 / parts, in_channels) stored */
    void *gradient;    /* (n * out_size^2 / parts, out_channels) stored */
    float *sum;        /* (filter_weights()) */
    bool first;        /* overwrite sum, do not add */
    int slice, slices; /* only this part of the output channels; slices 1: all of them */
};
MUST_USE bool filter_backward_weights(struct filter *filter, const struct filter_call *call,
                                      const struct filter_gradient *work, struct error *err);

/* Part `index` of `of` of the update: sums the copies in their order and takes the step. */
struct filter_update {
    float *const *copies; /* (copy_count), each (filter_weights()) */
    int copy_count, index, of;
    const struct sgd *sgd;
};
void filter_learn(struct filter *filter, const struct filter_update *update);

/* The same in two halves, for a gradient that ranks join in between: the sum of the copies goes
 * to filter_gradient_at(), and the step is taken with what stands there. Threads meet in between.
 * Only with keep_gradients. */
void filter_sum(struct filter *filter, const struct filter_update *update);
void filter_step(struct filter *filter, const struct filter_update *update);

/* The gradient in the filter's layout, *ret_count numbers. */
float *filter_gradient_at(struct filter *filter, size_t *ret_count);

/* Continues `hash` with the layout of weights and gradient: equal layouts give equal hashes. Only
 * with keep_gradients; overwrites the gradient. */
MUST_USE bool filter_hash_layout(struct filter *filter, uint64_t *hash, struct error *err);

/* Our kernels read weights packed for each use, so that the packed weights of all layers are not
 * in memory at once. Returns their bytes; 0 if the library computes the direction. */
size_t filter_packed_size(const struct filter *filter, enum conv_direction direction);

/* Sets their memory: at 64 bytes, owned by the caller. */
void filter_place(struct filter *filter, enum conv_direction direction, void *memory);

/* Packs part `index` of `of` there. Threads may pack different parts at the same time; when all
 * parts are packed, filter_run() may read them until the memory is used otherwise. */
void filter_pack(struct filter *filter, enum conv_direction direction, int index, int of);

/* Brings the new weights to where the library, or filter_pack(), reads them. Threads may load
 * different directions at the same time. */
MUST_USE bool filter_load(struct filter *filter, int lane, enum conv_direction direction,
                          struct error *err);

/* Copies weights and gradient to the parameter, which net_parameters() shows its caller. */
MUST_USE bool filter_show(struct filter *filter, struct error *err);

/* Gives back the memory of the parameter's value, which filter_show() writes again; unless
 * filter_pack() reads it. */
void filter_release(struct filter *filter);

/* Calls `visit` with the implementation of each pass. */
void filter_names(const struct filter *filter, net_visit visit, void *user);
