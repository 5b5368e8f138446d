/* The gradients of a convolution of f32 by Winograd's kernels: a quarter of the products. What it
 * passes forward is summed as it is defined: there another rounding chooses another side of a
 * ReLU, or another winner of a pool, and all gradients behind it differ. */
#pragma once

#include "engine/train/layerwise/conv_data.h"

/* Whether a convolution whose way forward is known can have its gradients so. */
bool conv_fits_winograd(const struct op *op, const struct conv *conv);

extern const struct conv_way conv_back_by_winograd;
