/* The products of a convolution on AMX's tiles, all taps together: for channels and outputs that
 * fill tiles. Nothing is packed twice: the weights are once a step, an image once for all taps.
 */
#pragma once

#include "engine/train/layerwise/conv_data.h"

/* Whether a convolution that is measured can be computed so. */
bool conv_fits_tiles(const struct layerwise *net, const struct conv *conv);

extern const struct conv_way conv_by_tiles;
