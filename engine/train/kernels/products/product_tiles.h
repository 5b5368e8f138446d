/* Matrix products on AMX's tiles. A block of the operands at a time is packed for the tiles:
 * weights that are used once a step are packed nowhere else. Numbers below the smallest normal
 * one count as zero.
 *
 * Operands are bf16 or f32. Of the nine products of the parts of two numbers of f32 the six
 * largest are summed; the others are at most 2^-26 of the product, less than f32 rounds. */
#pragma once

#include "engine/train/kernels/products/matrix_product.h"

/* For processors with AMX. */
extern const struct product_kernel product_tiles;
