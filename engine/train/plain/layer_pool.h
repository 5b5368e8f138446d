/* Pooling, by the maximum or the mean. */
#pragma once

#include "common/error.h"
#include "engine/train/plain/layer.h"

MUST_USE bool layer_pool_make(struct layer_state *state, struct layer_context *context,
                              struct error *err);
