#include "engine/train/networks/tensor_init.h"

#include <stdint.h>

static uint64_t fnv1a(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash;
}

/* One number of the sequence that starts at `start`: splitmix64. */
static float noise(uint64_t start, size_t index)
{
    uint64_t z = start + index + 0x9E3779B97F4A7C15;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z = z ^ (z >> 31);
    return 2 * ((float)(z >> 40) * 0x1p-24f) - 1;
}

static uint64_t start_of(const char *name, unsigned long long seed)
{
    return fnv1a(name) + seed * 0x9E3779B97F4A7C15;
}

float tensor_init_noise(const char *name, unsigned long long seed, size_t index)
{
    return noise(start_of(name, seed), index);
}

void tensor_init_fill(float *values, size_t count, const char *name, unsigned long long seed,
                      float scale, float shift)
{
    uint64_t start = start_of(name, seed);

    for (size_t i = 0; i < count; i++)
        values[i] = shift + scale * noise(start, i);
}
