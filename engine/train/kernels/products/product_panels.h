/* Matrix products of f32 on the vectors of AVX2 with FMA: large ones, and those whose right
 * operand is packed once. oneDNN is faster with other small ones. */
#pragma once

#include "engine/train/kernels/products/matrix_product.h"

extern const struct product_kernel product_panels;
