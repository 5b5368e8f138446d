/* Which kernels of convolutions there are; conv_kernel.h says what one computes. */
#pragma once

#include "engine/train/kernels/conv/conv_kernel.h"

/* Whether a kernel computes this shape. */
bool conv_supports(const struct conv_kernel *kernel, const struct conv_shape *shape);

/* The fastest direct kernel for a processor that has `isa`; NULL where there is none. */
const struct conv_kernel *conv_kernel_for(enum cpu_isa isa, enum dnn_type type,
                                          const struct conv_shape *shape);

/* All that were compiled, for tests; NULL behind the last. */
const struct conv_kernel *conv_kernel_at(int index);
