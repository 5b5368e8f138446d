/* Numbers for tests: the same on every run. */
#pragma once

#include <stddef.h>
#include <stdint.h>

static uint32_t noise_state = 7;

/* In [-1, 1). */
static inline float noise(void)
{
    noise_state = noise_state * 1664525 + 1013904223;
    return (float)(noise_state >> 8) / (1 << 23) - 1;
}

static inline void fill(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = noise();
}
