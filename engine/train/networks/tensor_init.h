/* Numbers that any program can make again: each tensor is filled from its name, a seed and the
 * index of the element, so that an engine in another language starts from the same bits. */
#pragma once

#include <stddef.h>

/* In [-1, 1), a multiple of 2^-23; the same on every machine. */
float tensor_init_noise(const char *name, unsigned long long seed, size_t index);

/* Fills values[0 .. count) with scale * noise + shift. */
void tensor_init_fill(float *values, size_t count, const char *name, unsigned long long seed,
                      float scale, float shift);
