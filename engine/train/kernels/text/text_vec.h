/* What the bodies of this folder share: vectors (conv_vec.h) of stored numbers (conv_stored.h),
 * whole or the first few lanes, and functions of them. A tail goes through the same instructions
 * as a whole vector, so that a cut anywhere gives the same bits.
 *
 * CMake compiles each body once for each set, with TEXT_SET, CONV_VEC_BYTES and, for bf16,
 * CONV_STORED_BF16. */
#pragma once

#include "engine/train/kernels/conv/conv_stored.h"

#include <stdbool.h>

#define TEXT_JOIN_(a, b) a##_##b
#define TEXT_JOIN(a, b) TEXT_JOIN_(a, b)
#define TEXT_NAME(kernel) TEXT_JOIN(kernel, TEXT_SET)

#define LANES CONV_LANES

/* `yes` where the comparison of two vectors holds, elsewhere `no`. */
#define VEC_CHOOSE(comparison, yes, no)                                                          \
    ((vec)(((vec_bits)(comparison) & (vec_bits)(yes)) |                                          \
           (~(vec_bits)(comparison) & (vec_bits)(no))))

/* Loads and stores `count` lanes, at most LANES; the other lanes of a load are 0. */
CONV_INLINE void vec_load(const float *from, long count, vec *ret)
{
    vec value = {0};

    if (count >= LANES)
        value = VEC_LOAD(from);
    else
        memcpy(&value, from, (size_t)count * sizeof *from);
    *ret = value;
}

CONV_INLINE void vec_store(float *to, long count, const vec *value)
{
    if (count >= LANES)
        VEC_STORE(to, *value);
    else
        memcpy(to, value, (size_t)count * sizeof *to);
}

CONV_INLINE void stored_load(const stored *from, long count, vec *ret)
{
    stored few[LANES] = {0};

    if (count >= LANES) {
        *ret = STORED_LOAD(from);
        return;
    }
    memcpy(few, from, (size_t)count * sizeof *from);
    *ret = STORED_LOAD(few);
}

/* Rounds the value to what is stored. */
CONV_INLINE void stored_store(stored *to, long count, vec *value)
{
    stored few[LANES];

    stored_round(value);
    if (count >= LANES) {
        stored_put(to, value);
        return;
    }
    stored_put(few, value);
    memcpy(to, few, (size_t)count * sizeof *to);
}

/* The lanes are added in pairs that are half a vector apart: always the same order. */
CONV_INLINE float vec_sum(const vec *value)
{
    float lanes[LANES];

    memcpy(lanes, value, sizeof lanes);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lanes[i] += lanes[i + half];
    return lanes[0];
}

/* The largest lane. */
CONV_INLINE float vec_largest(const vec *value)
{
    float largest = (*value)[0];

    for (int i = 1; i < LANES; i++)
        if ((*value)[i] > largest)
            largest = (*value)[i];
    return largest;
}

/* e^x, within 2e-7 of it; below -87.3 and above 88.3 as there. Not a number stays none. */
CONV_INLINE vec vec_exp(vec x)
{
    const vec low = VEC_ALL(-87.3f), high = VEC_ALL(88.3f), magic = VEC_ALL(12582912.0f);
    static const float factor[] = {1.f / 5040, 1.f / 720, 1.f / 120, 1.f / 24,
                                   1.f / 6,    1.f / 2,   1.f,       1.f};
    vec shifted, whole, rest, sum;

    x = VEC_CHOOSE(x < low, low, x);
    x = VEC_CHOOSE(x > high, high, x);
    shifted = VEC_FMA(x, VEC_ALL(1.44269504f), magic); /* rounds to a whole number */
    whole = shifted - magic;
    rest = VEC_FMA(whole, VEC_ALL(-0.693359375f), x); /* ln 2 in two parts, the first exact */
    rest = VEC_FMA(whole, VEC_ALL(2.12194440e-4f), rest);
    sum = VEC_ALL(factor[0]);
    for (int i = 1; i < (int)(sizeof factor / sizeof *factor); i++)
        sum = VEC_FMA(sum, rest, VEC_ALL(factor[i]));
    return sum * (vec)(((vec_bits)shifted - (vec_bits)magic + 127) << 23);
}

/* 1 / (1 + e^-x). */
CONV_INLINE vec vec_sigmoid(vec x)
{
    return VEC_ALL(1.f) / (VEC_ALL(1.f) + vec_exp(-x));
}

/* A series near zero, where the quotient would lose what x has. */
CONV_INLINE vec vec_tanh(vec x)
{
    static const float factor[] = {-1382.f / 155925, 62.f / 2835, -17.f / 315,
                                   2.f / 15,         -1.f / 3,    1.f};
    vec square = x * x, series = VEC_ALL(factor[0]), size = x, far;

    for (int i = 1; i < (int)(sizeof factor / sizeof *factor); i++)
        series = VEC_FMA(series, square, VEC_ALL(factor[i]));
    size = (vec)((vec_bits)size & 0x7fffffff);
    far = VEC_ALL(1.f) - VEC_ALL(2.f) / (vec_exp(size + size) + VEC_ALL(1.f));
    far = (vec)((vec_bits)far | ((vec_bits)x & (int32_t)0x80000000));
    return VEC_CHOOSE(size < VEC_ALL(0.35f), series * x, far);
}

/* GELU as z s(2u), u = sqrt(2/pi) (z + 0.044715 z^3), and its derivative. */
#define GELU_TWICE 1.59576912f /* 2 sqrt(2/pi) */
#define GELU_CUBE 0.044715f

CONV_INLINE vec vec_gelu(vec z)
{
    vec twice = VEC_ALL(GELU_TWICE) * VEC_FMA(VEC_ALL(GELU_CUBE) * z, z * z, z);

    return z * vec_sigmoid(twice);
}

CONV_INLINE vec vec_gelu_slope(vec z)
{
    vec square = z * z, one = VEC_ALL(1.f);
    vec s = vec_sigmoid(VEC_ALL(GELU_TWICE) * VEC_FMA(VEC_ALL(GELU_CUBE) * z, square, z));
    vec slope = VEC_ALL(GELU_TWICE) * VEC_FMA(VEC_ALL(3 * GELU_CUBE), square, one);

    return VEC_FMA(z * s * (one - s), slope, s);
}
