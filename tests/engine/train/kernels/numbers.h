/* What tests of several kernels need: numbers, memory for them, and what this machine can run. */
#pragma once

#include "common/memory.h"
#include "engine/machine/cpu.h"
#include "engine/train/onednn/dnn_shapes.h"
#include "tests/engine/train/noise.h"
#include "tests/test.h"

#include <stdlib.h>

#define MARGIN 3 /* numbers behind each line of a matrix, which are no part of it */
#define UNTOUCHED 77.f

static inline bool has_avx2(void)
{
    return cpu_probe() >= CPU_AVX2;
}

static inline bool has_avx512(void)
{
    return cpu_probe() >= CPU_AVX512;
}

static uint64_t draw_state = 1;

static inline uint32_t draw(uint32_t limit)
{
    draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(draw_state >> 33) % limit;
}

/* A number of bf16 is the upper half of a float. */
static inline float widen(uint16_t value)
{
    uint32_t bits = (uint32_t)value << 16;
    float result;

    memcpy(&result, &bits, sizeof result);
    return result;
}

static inline double number_at(const void *values, enum dnn_type type, long index)
{
    return (double)(type == DNN_BF16 ? widen(((const uint16_t *)values)[index])
                                     : ((const float *)values)[index]);
}

/* Random ones. The memory ends behind the last: the address sanitizer sees a read beyond it. */
static inline float *numbers(long count)
{
    float *ret = xmalloc((size_t)count * sizeof *ret);

    fill(ret, (size_t)count);
    return ret;
}

static inline float *fill_untouched(float *values, long count)
{
    for (long i = 0; i < count; i++)
        values[i] = UNTOUCHED;
    return values;
}

static inline float *untouched(long count)
{
    return fill_untouched(xmalloc((size_t)count * sizeof(float)), count);
}

static inline void *aligned(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

    if (!memory)
        abort();
    return memory;
}

/* Full of numbers so large that one of them spoils a sum. */
static inline void *spoiled(size_t bytes)
{
    return memset(aligned(bytes), 0x7f, (bytes + 63) / 64 * 64);
}
