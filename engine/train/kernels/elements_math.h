/* Functions for loops that the compiler vectorises: no branch, no call, and the same bits with
 * every width. Errors are about one unit of the last place of a number near 1. */
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 2^n * e^r with |r| <= ln 2 / 2, where e^r is a polynomial. What is beyond f32 becomes the
 * largest or smallest power; what is not a number stays so. */
static inline float exp_of(float x)
{
    const float round = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
    float shifted, n, r, y;

    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    shifted = x * 1.44269504f + round;
    n = shifted - round;
    r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    y = 1.9875691500e-4f * r + 1.3981999507e-3f;
    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = (y * r * r + r) + 1;
    return y * float_of((bits_of(shifted) - bits_of(round) + 127) << 23);
}

static inline float sigmoid_of(float x)
{
    return 1 / (1 + exp_of(-x));
}

static inline float tanh_of(float x)
{
    float size = float_of(bits_of(x) & 0x7fffffff);
    float z = x * x, near, far;

    near = -5.70498872745e-3f * z + 2.06390887954e-2f;
    near = near * z - 5.37397155531e-2f;
    near = near * z + 1.33314422036e-1f;
    near = near * z - 3.33332819422e-1f;
    near = x + x * (z * near);
    far = 1 - 2 / (exp_of(2 * size) + 1);
    far = float_of(bits_of(far) | (bits_of(x) & 0x80000000));
    return size < 0.625f ? near : far;
}

/* bf16, to nearest, ties to even. */
static inline uint32_t elements_rounded(float value)
{
    uint32_t bits = bits_of(value);

    return bits + 0x7fff + ((bits >> 16) & 1);
}
