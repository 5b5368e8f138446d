/* What the bf16 passes by AVX-512's bf16 instructions share: 32 neighbouring channels of a row in
 * two vectors, and the passes of passes_avx512bf16_pool.c.
 *
 * A shift widens the even channels of a stored vector, an and the odd ones. So coefficients and
 * sums are kept as 16 even and then 16 odd channels of each 32: pairs_order() puts them so. */
#pragma once

#include "engine/train/kernels/passes.h"

#include <immintrin.h>

/* `pool` and `unpool` of passes.h, for channels that are a multiple of AT_ONCE. */
void passes_avx512bf16_pool(const struct pass_pool *pool, void *result);
void passes_avx512bf16_unpool(const struct pass_pool *pool, const void *gradient, void *result,
                              double *sums);

#define INLINE static inline __attribute__((always_inline))
#define AT_ONCE 32 /* channels */
#define HALF 16
#define BLOCK 32 /* rows whose sums are taken in f32, as in passes_body.c */

/* Prefetch distance in bytes, for reads and also for writes: the processor must have a line
 * before it can write to it. */
#define READ_AHEAD 2048
#define WRITE_AHEAD 1024

/* One number for each channel, in the order of vectors. */
struct ordered {
    _Alignas(64) float of[CHANNELS_MAX];
};

/* 32 channels of one row. */
struct pair {
    __m512 even, odd;
};

INLINE struct pair widen(__m512i stored)
{
    const __m512i odd = _mm512_set1_epi32((int)0xffff0000);

    return (struct pair){_mm512_castsi512_ps(_mm512_slli_epi32(stored, 16)),
                         _mm512_castsi512_ps(_mm512_and_si512(stored, odd))};
}

INLINE struct pair read(const uint16_t *from)
{
    return widen(_mm512_loadu_si512(from));
}

INLINE __m512i take(const uint16_t *from)
{
    _mm_prefetch((const char *)from + READ_AHEAD, _MM_HINT_T0);
    return _mm512_loadu_si512(from);
}

INLINE struct pair read_ahead(const uint16_t *from)
{
    return widen(take(from));
}

/* To nearest, ties to even. Infinity stays, and what is not a number. */
INLINE __m512i narrow(struct pair value)
{
    const __m512i order =
        _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22,
                         6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);

    return _mm512_permutexvar_epi16(order, (__m512i)_mm512_cvtne2ps_pbh(value.odd, value.even));
}

INLINE void write(__m512i stored, uint16_t *to)
{
    _mm_prefetch((const char *)to + WRITE_AHEAD, _MM_HINT_T0);
    _mm512_storeu_si512(to, stored);
}

INLINE struct pair load(const float *from)
{
    return (struct pair){_mm512_load_ps(from), _mm512_load_ps(from + HALF)};
}

INLINE struct pair add_pairs(struct pair a, struct pair b)
{
    return (struct pair){_mm512_add_ps(a.even, b.even), _mm512_add_ps(a.odd, b.odd)};
}

INLINE struct pair subtract(struct pair a, struct pair b)
{
    return (struct pair){_mm512_sub_ps(a.even, b.even), _mm512_sub_ps(a.odd, b.odd)};
}

INLINE struct pair multiply(struct pair a, struct pair b)
{
    return (struct pair){_mm512_mul_ps(a.even, b.even), _mm512_mul_ps(a.odd, b.odd)};
}

/* Of a zero and what is not a number the processor takes the second. */
INLINE struct pair relu(struct pair value)
{
    const __m512 zero = _mm512_setzero_ps();

    return (struct pair){_mm512_max_ps(zero, value.even), _mm512_max_ps(zero, value.odd)};
}

INLINE void add_to(float *sum, struct pair value)
{
    const struct pair total = add_pairs(load(sum), value);

    _mm512_store_ps(sum, total.even);
    _mm512_store_ps(sum + HALF, total.odd);
}

static inline void pairs_order(const float *from, long channels, struct ordered *ret)
{
    const __m512i even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd =
        _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);

    for (long c = 0; c < channels; c += AT_ONCE) {
        __m512 low = _mm512_loadu_ps(from + c), high = _mm512_loadu_ps(from + c + HALF);

        _mm512_store_ps(ret->of + c, _mm512_permutex2var_ps(low, even, high));
        _mm512_store_ps(ret->of + c + HALF, _mm512_permutex2var_ps(low, odd, high));
    }
}

/* As plain code: it is a small part of a block's work, and the compiler knows how. */
static inline void add_up(const struct ordered *block, long channels, double *sums)
{
    for (long c = 0; c < channels; c += AT_ONCE)
        for (long i = 0; i < HALF; i++) {
            sums[c + 2 * i] += (double)block->of[c + i];
            sums[c + 2 * i + 1] += (double)block->of[c + HALF + i];
        }
}
