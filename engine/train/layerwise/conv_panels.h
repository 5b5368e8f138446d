/* The products of a convolution of f32 on vectors of AVX2, all taps together: for channels and
 * outputs that fill panels. The weights are packed once a step. */
#pragma once

#include "engine/train/layerwise/conv_data.h"

/* Whether a convolution that is measured can be computed so. */
bool conv_fits_panels(const struct op *op, const struct conv *conv);

extern const struct conv_way conv_by_panels;
