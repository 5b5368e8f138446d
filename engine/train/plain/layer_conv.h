/* Convolution, batch-norm, and what follows: nothing, a ReLU, or the shortcut and a ReLU. */
#pragma once

#include "common/error.h"
#include "engine/train/plain/layer.h"

MUST_USE bool layer_conv_make(struct layer_state *state, struct layer_context *context,
                              struct error *err);

/* Statistics that a batch-norm keeps for inference, (channels) each; NULL for other layers. */
struct running {
    const float *mean, *variance;
};
struct running layer_conv_running(const struct layer_state *state);

/* Calls `visit` with the names of the implementations that the layer runs on. */
void layer_conv_names(const struct layer_state *state, net_visit visit, void *user);
