#include "engine/train/networks/tensor_init.h"

#include "common/hash.h"

#include <math.h>

uint64_t tensor_init_start(const char *name, unsigned long long seed, unsigned long long step)
{
    return hash_text(HASH_START, name) + seed * 0x9E3779B97F4A7C15 + step * 0xD1B54A32D192ED03;
}

float tensor_init_noise(const char *name, unsigned long long seed, size_t index)
{
    return tensor_init_unit(tensor_init_bits(tensor_init_start(name, seed, 0), index));
}

void tensor_init_fill(float *values, size_t count, const char *name, unsigned long long seed,
                      float scale, float shift)
{
    uint64_t start = tensor_init_start(name, seed, 0);

    for (size_t i = 0; i < count; i++)
        values[i] = shift + scale * tensor_init_unit(tensor_init_bits(start, i));
}

void tensor_init_images(float *values, size_t first, size_t count, unsigned long long seed)
{
    uint64_t start = tensor_init_start("images", seed, 0);
    float scale = sqrtf(3);

    for (size_t i = 0; i < count; i++)
        values[i] = scale * tensor_init_unit(tensor_init_bits(start, first + i));
}
