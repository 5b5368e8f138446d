/* Large matrix products of f32 on the vectors of AVX2 with FMA. oneDNN is faster with small ones.
 * Packs no operand in advance. */
#pragma once

#include "engine/train/kernels/products/matrix_product.h"

extern const struct product_kernel product_panels;
