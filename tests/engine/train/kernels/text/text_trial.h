/* What the tests of the text kernels share: numbers as a set stores them, each set that this
 * processor can run, and work cut into slices. */
#pragma once

#include "common/cleanup.h"
#include "engine/train/kernels/text/text.h"
#include "tests/engine/train/noise.h"
#include "tests/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A set that runs, where it stores bf16. */
static bool trial_bf16;

static inline size_t trial_size(void)
{
    return trial_bf16 ? sizeof(uint16_t) : sizeof(float);
}

static inline void *trial_memory(size_t bytes)
{
    void *memory = calloc(1, bytes > 0 ? bytes : 1);

    if (!memory)
        abort();
    return memory;
}

static inline double trial_get(const void *stored, long i)
{
    float result;

    if (!trial_bf16)
        return (double)((const float *)stored)[i];
    uint32_t bits = (uint32_t)((const uint16_t *)stored)[i] << 16;

    memcpy(&result, &bits, sizeof result);
    return (double)result;
}

static inline void trial_put(void *stored, long i, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (trial_bf16)
        ((uint16_t *)stored)[i] = (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    else
        ((float *)stored)[i] = value;
}

/* `count` stored numbers in [-scale, scale), which the caller frees. */
static inline void *trial_numbers(long count, float scale)
{
    void *numbers = trial_memory((size_t)count * trial_size());

    for (long i = 0; i < count; i++)
        trial_put(numbers, i, scale * noise());
    return numbers;
}

static inline float *trial_floats(long count, float scale)
{
    float *numbers = trial_memory((size_t)count * sizeof *numbers);

    for (long i = 0; i < count; i++)
        numbers[i] = scale * noise();
    return numbers;
}

/* What rounding to the set's numbers does to one of size 1. */
static inline double trial_rounding(void)
{
    return trial_bf16 ? 1.0 / 256 : 6e-8;
}

/* Calls `check` with each set that this processor can run. */
static inline void trial_each(void (*check)(const struct text_kernels *kernels))
{
    for (int i = 0; text_kernels_at(i); i++) {
        const struct text_kernels *kernels = text_kernels_at(i);
        int failures = test_failures;

        if (kernels->isa > cpu_probe())
            continue;
        trial_bf16 = kernels->type == DNN_BF16;
        noise_state = 7;
        check(kernels);
        if (test_failures > failures)
            printf("       in the set %s\n", kernels->name);
    }
}

/* How far `got` may be from `wanted`, from `noise_of` as the set rounds and `absolute`. */
#define TRIAL_NEAR(got, wanted, absolute)                                                        \
    EXPECT_NEAR(got, wanted, 2 * trial_rounding() * fabs(wanted) + (absolute))
