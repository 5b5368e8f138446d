/* The kinds behind wgrad.h. Shapes have been checked before they come here, and
 * out_end is never 0. */
#pragma once

#include "engine/train/kernels/wgrad_shape.h"

size_t wgrad_avx512_scratch(const struct wgrad_shape *shape);
void wgrad_avx512_run(const struct wgrad_shape *shape, const struct wgrad_memory *memory);

size_t wgrad_amx_scratch(const struct wgrad_shape *shape);
void wgrad_amx_run(const struct wgrad_shape *shape, const struct wgrad_memory *memory);

size_t wgrad_avx2_f32_scratch(const struct wgrad_shape *shape);
void wgrad_avx2_f32_run(const struct wgrad_shape *shape, const struct wgrad_memory *memory);

size_t wgrad_avx512_f32_scratch(const struct wgrad_shape *shape);
void wgrad_avx512_f32_run(const struct wgrad_shape *shape, const struct wgrad_memory *memory);
