/* The fully connected layer, as a 1x1 convolution of a 1x1 image, and the loss behind it. */
#pragma once

#include "common/error.h"
#include "engine/train/plain/layer.h"

MUST_USE bool layer_linear_make(struct layer_state *state, struct layer_context *context,
                                struct error *err);

/* Of the last layer, after forward(): the mean loss of all ranks over labels index % 10; writes
 * the gradient of the logits for backward(). */
double layer_linear_loss(struct layer_state *state, struct joiner *joiner);

/* One logit with its bias. */
float layer_linear_logit(const struct layer_state *state, long image, long class);
