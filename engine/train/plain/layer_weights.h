/* A convolution with its weights: the part that convolutional and linear layers share. */
#pragma once

#include "engine/train/plain/layer.h"

struct layer_weights {
    struct parameter *weight;
    struct dnn_op *forward, *backward_data, *backward_weights;
    struct dnn_op *load_forward, *load_backward, *store_gradient;
    /* Each (O, I, H, W) in the layout of the operation that reads or writes it. */
    void *weights_forward;                        /* of forward, in its type */
    void *weights_backward;                       /* of backward_data, in its type; or NULL */
    void *gradient;                               /* of backward_weights */
    struct reorder input, output;                 /* of forward */
    struct reorder learnt_input, learnt_gradient; /* of backward_weights */
    struct reorder data_gradient, data_result;    /* of backward_data */
};

/* Decides the order of the output in the blocked layout. Without backward_data where no layer
 * uses the input's gradient. */
MUST_USE bool layer_weights_make(struct layer_weights *weights, const struct layer_state *state,
                                 struct layer_context *context, struct error *err);

/* A zeroed one is fine. */
void layer_weights_free(struct layer_weights *weights);

/* The parameter has changed: brings it into the layouts that are computed with. */
MUST_USE bool layer_weights_load(struct layer_weights *weights, struct error *err);

MUST_USE bool layer_weights_forward(struct layer_weights *weights,
                                    const struct layer_state *state, void *output,
                                    struct error *err);

/* From the gradient of the output to the gradients of the weights and the input. */
MUST_USE bool layer_weights_backward(struct layer_weights *weights,
                                     const struct layer_state *state, void *output_gradient,
                                     struct error *err);
