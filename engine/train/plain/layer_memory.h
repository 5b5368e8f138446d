/* Memory of layers, and the gradients in it. */
#pragma once

#include "common/error.h"
#include "engine/train/plain/layer.h"

/* Zeroed memory, in huge pages where it is large. */
void *layer_memory(size_t bytes, struct error *err);

size_t tensor_bytes(const struct tensor *tensor);

/* Where the next contribution to a gradient goes, and what to call when it is there. */
void *tensor_gradient_place(struct tensor *tensor);
MUST_USE bool tensor_gradient_placed(struct tensor *tensor, struct error *err);
