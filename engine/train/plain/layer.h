/* One layer ready to compute: its oneDNN operations and the memory between them. Each kind of
 * layer is one file behind this interface, and plain.c walks the list. */
#pragma once

#include "engine/train/net/net.h"
#include "engine/train/networks/parameters.h"
#include "engine/train/onednn/dnn.h"
#include "engine/train/plain/reorder.h"

struct layer_state;

/* What every layer of a net shares. */
struct layer_context {
    struct dnn *dnn;
    struct parameters *parameters;
    enum net_layout layout;
    struct reorder_rooms rooms;
};

/* A layer's output and the gradient that its readers have left for it, in the same order. In the
 * blocked layout the layer that makes it decides which that is. */
struct tensor {
    struct dnn_images shape;
    void *value;           /* (N, C, H, W) in the order and type of shape */
    void *gradient;        /* the same */
    bool has_gradient;     /* a reader has written the gradient since the step began */
    void *spare;           /* as gradient, for a second contribution before it is added */
    struct dnn_op *gather; /* gradient + spare -> gradient; NULL with a single reader */
};

struct layer_kind_functions {
    bool (*forward)(struct layer_state *state, struct error *err);
    bool (*backward)(struct layer_state *state, struct error *err);
    bool (*load)(struct layer_state *state, struct error *err); /* weights have changed */
    void (*release)(struct layer_state *state);
};

struct layer_state {
    const struct layer_kind_functions *functions;
    const struct layer *layer;
    struct tensor *input, *shortcut, *output; /* shortcut: of `adds`, or NULL */
    bool needs_input_gradient;                /* not for the images */
    void *own;                                /* of the kind */
};

/* Each fills state->functions and state->own, and says in state->output->shape how its output is
 * going to lie; memory for that is the caller's to take afterwards. What was made half-way is
 * freed by release(). */
bool layer_conv_make(struct layer_state *state, struct layer_context *context, struct error *err)
    __attribute__((warn_unused_result));
bool layer_pool_make(struct layer_state *state, struct layer_context *context, struct error *err)
    __attribute__((warn_unused_result));
bool layer_linear_make(struct layer_state *state, struct layer_context *context,
                       struct error *err) __attribute__((warn_unused_result));

/* Zeroed memory, in huge pages where it is large. */
void *layer_memory(size_t bytes, struct error *err);

size_t tensor_bytes(const struct tensor *tensor);

/* Where the next contribution to a gradient goes, and what to call when it is there. */
void *tensor_gradient_place(struct tensor *tensor);
bool tensor_gradient_placed(struct tensor *tensor, struct error *err)
    __attribute__((warn_unused_result));

/* Statistics that a batch-norm keeps for inference, (channels) each; NULL for other layers. */
struct running {
    const float *mean, *variance;
};
struct running layer_conv_running(const struct layer_state *state);

/* Calls `visit` with the names of the implementations that the layer runs on. */
void layer_conv_names(const struct layer_state *state, net_visit visit, void *user);

/* Of the last layer, after forward(): the mean loss of all ranks over labels index % 10; writes
 * the gradient of the logits for backward(). */
double layer_linear_loss(struct layer_state *state, struct joiner *joiner);

/* One logit with its bias. */
float layer_linear_logit(const struct layer_state *state, long image, long class);
