/* The products of a convolution, one a tap of its kernel, as product.h multiplies. */
#pragma once

#include "engine/train/layerwise/conv_data.h"

extern const struct conv_way conv_by_taps;
