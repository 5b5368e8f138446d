/* Numbers that any program can make again: each tensor is filled from its name, a seed and the
 * index of the element, so that an engine in another language starts from the same bits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Where the sequence of a name begins; only masks of dropouts have a step other than 0. */
uint64_t tensor_init_start(const char *name, unsigned long long seed, unsigned long long step);

/* 24 bits of one element of the sequence: splitmix64. */
static inline uint32_t tensor_init_bits(uint64_t start, size_t index)
{
    uint64_t z = start + index + 0x9E3779B97F4A7C15;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z = z ^ (z >> 31);
    return (uint32_t)(z >> 40);
}

/* In [-1, 1), a multiple of 2^-23. */
static inline float tensor_init_unit(uint32_t bits)
{
    return 2 * ((float)bits * 0x1p-24f) - 1;
}

/* That number of an element; the same on every machine. */
float tensor_init_noise(const char *name, unsigned long long seed, size_t index);

/* Fills values[0 .. count) with scale * noise + shift. */
void tensor_init_fill(float *values, size_t count, const char *name, unsigned long long seed,
                      float scale, float shift);

/* Fills values[0 .. count) with images: sqrt(3) * noise of "images", from element `first` on,
 * which is where the images of a rank begin. */
void tensor_init_images(float *values, size_t first, size_t count, unsigned long long seed);
