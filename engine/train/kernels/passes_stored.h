/* How passes_body.c reads and writes the numbers of its format. */
#pragma once

#include "engine/train/onednn/dnn.h"

#include <stdint.h>
#include <string.h>

#ifdef PASSES_BF16
typedef uint16_t stored;
#define TYPE DNN_BF16

static inline float get(stored value)
{
    uint32_t bits = (uint32_t)value << 16;
    float result;

    memcpy(&result, &bits, sizeof result);
    return result;
}

/* To nearest, ties to even. Infinity and the processor's own NaN stay what they are. */
static inline stored put(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (stored)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
#else
typedef float stored;
#define TYPE DNN_F32

static inline float get(stored value)
{
    return value;
}

static inline stored put(float value)
{
    return value;
}
#endif

/* Passes NaN through: a run that diverges must say so. */
static inline float relu(float value)
{
    return value < 0 ? 0 : value;
}
