/* One image on its way through a convolution, and back. */
#pragma once

#include "engine/train/layerwise/layerwise_data.h"

/* From the input to the output, or to the output of the pool that ends it. */
void conv_image_forward(const struct op *op, long n, int thread);

/* Adds to the gradients of the thread's room, and writes the gradient of the input. */
void conv_image_backward(const struct op *op, long n, int thread);
