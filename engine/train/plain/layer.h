/* One layer ready to compute: its oneDNN operations and the memory between them. Each kind of
 * layer is one file behind this interface, and plain.c walks the list.
 *
 * layer_KIND_make() fills state->functions and state->own, and says in state->output->shape how
 * the output is going to lie; the caller takes memory for it afterwards. release() frees what was
 * made half-way. */
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
