/* Winograd's convolutions: kernel 3, stride 1, f32. Tiles of tile x tile result pixels are
 * computed from (tile + 2)^2 transformed numbers, with 2.25 (tile 2) or 4 (tile 4) times fewer
 * products than the definition has; the last tiles of an image may be partly outside of it.
 *
 * Against f64, in the layers of ResNet-50, the error of tile 2 is no larger than that of the
 * direct kernels (rms 2e-7 to 6e-7 of the results' rms), that of tile 4 about four times as large
 * and up to nine times where it is largest: tests/bench/winograd_error.c. The choice belongs to
 * the caller, so conv_kernel_for() returns none of them. */
#pragma once

#include "engine/train/kernels/conv.h"

/* A kernel as conv.h has it, in both directions, with all ends; NULL where there is none. `tile`
 * is 2 or 4. */
const struct conv_kernel *conv_winograd_for(enum cpu_isa isa, int tile,
                                            const struct conv_shape *shape);

/* All that were compiled, for tests; NULL behind the last. */
const struct conv_kernel *conv_winograd_at(int index);
