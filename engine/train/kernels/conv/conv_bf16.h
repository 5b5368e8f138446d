/* What the bf16 kernels of conv.h share: the packed weights, and the ends of a row of 32 channels
 * whose even and odd channels are in vectors of their own, so that a shift or an and widens a
 * stored pair. Needs vectors of 64 bytes, or the compiler's emulation of them. */
#pragma once

#include "engine/train/kernels/conv/conv_rows.h"
#include "engine/train/kernels/vec.h"

#define BF16_PANEL 32 /* channels of the result, and of what is multiplied at a time */
#define BF16_BLOCK (BF16_PANEL * BF16_PANEL)

_Static_assert(VEC_LANES == BF16_PANEL / 2, "even and odd channels are a vector each");

typedef uint32_t bf16_pairs __attribute__((vector_size(VEC_BYTES)));
typedef uint32_t bf16_anywhere __attribute__((vector_size(VEC_BYTES), aligned(2), may_alias));

typedef int16_t bf16_signed __attribute__((vector_size(VEC_BYTES)));

#define BF16_LOAD(address) ((bf16_pairs) * (const bf16_anywhere *)(address))
#define BF16_EVEN(pairs) ((vec)((pairs) << 16))
#define BF16_ODD(pairs) ((vec)(0xffff0000u & (pairs)))

/* conv_kernel's panels_size and pack. */
size_t conv_bf16_panels_size(const struct conv_shape *shape);
void conv_bf16_pack(const struct conv_shape *shape, const struct conv_weights *weights, int index,
                    int of, void *ret_panels);

/* Numbers that a tap multiplies, filled up. */
long conv_bf16_depth(const struct conv_shape *shape);

/* One panel of an end: [0] even channels, [1] odd ones. The sums of products leave the mean out,
 * which takes its part of them at the end. */
struct bf16_end {
    const struct conv_end *end;
    long n, channel; /* the panel's first */
    bool past_cache;
    vec scale[2], shift[2];
    vec sum[2], product[2], other[2];
};

/* Kernels prefetch what an end reads so many rows before they reach it: one to two blocks. */
#define BF16_AHEAD 48

VEC_INLINE void bf16_split(const float *from, vec ret_halves[2])
{
    vec low = VEC_LOAD(from), high = VEC_LOAD(from + VEC_LANES);

    ret_halves[0] = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22,
                                            24, 26, 28, 30);
    ret_halves[1] = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23,
                                            25, 27, 29, 31);
}

VEC_INLINE void bf16_end_begin(struct bf16_end *work, const enum conv_end_kind kind)
{
    const struct conv_end *end = work->end;

    for (int i = 0; i < 2; i++)
        work->sum[i] = work->product[i] = work->other[i] = (vec){0};
    if (kind == CONV_INNER) {
        bf16_split(end->affine + work->channel, work->scale);
        bf16_split(end->affine + work->n + work->channel, work->shift);
    }
}

/* Rounds to nearest, ties to even, as passes_stored.h does; the processor's own instruction takes
 * numbers below the smallest normal one as 0. */
VEC_INLINE void bf16_narrow(const vec value[2], bf16_pairs *ret_pairs)
{
#ifdef __AVX512BF16__
    const __m512i order =
        _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22,
                         6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    __m512bh halves = _mm512_cvtne2ps_pbh((__m512)value[1], (__m512)value[0]);

    *ret_pairs = (bf16_pairs)_mm512_permutexvar_epi16(order, (__m512i)halves);
#else
    bf16_pairs even = (bf16_pairs)value[0], odd = (bf16_pairs)value[1];

    even += 0x7fff + ((even >> 16) & 1);
    odd += 0x7fff + ((odd >> 16) & 1);
    *ret_pairs = even >> 16 | (odd & 0xffff0000u);
#endif
}

VEC_INLINE void bf16_widen(const void *stored, long at, vec ret_halves[2])
{
    bf16_pairs pairs = BF16_LOAD((const uint16_t *)stored + at);

    ret_halves[0] = BF16_EVEN(pairs);
    ret_halves[1] = BF16_ODD(pairs);
}

/* Rounds the value to what the kind stores. Active numbers are compared as whole ones, which
 * have the same sign. */
VEC_INLINE void bf16_end_value(const struct bf16_end *work, const enum conv_end_kind kind,
                               long at, const vec stored[2], vec value[2], bf16_pairs *ret_pairs)
{
    vec add[2];

    if (kind == CONV_INNER)
        for (int i = 0; i < 2; i++)
            value[i] = VEC_WHERE(stored[i] * work->scale[i] + work->shift[i] > 0, value[i]);
    if (kind >= CONV_KEPT) {
        bf16_widen(work->end->add, at, add);
        for (int i = 0; i < 2; i++)
            value[i] += add[i];
    }
    bf16_narrow(value, ret_pairs);
    if (kind >= CONV_KEPT) {
        bf16_signed active = (bf16_signed)BF16_LOAD((const uint16_t *)work->end->active + at);

        *ret_pairs &= (bf16_pairs)(active > 0);
    }
}

VEC_INLINE void bf16_store(const struct bf16_end *work, const enum conv_end_kind kind, long at,
                           const bf16_pairs *pairs)
{
    uint16_t *to = (uint16_t *)work->end->result + at;

#ifdef __AVX512F__
    if (kind <= CONV_SUMS && work->past_cache) {
        _mm512_stream_si512((void *)to, (__m512i)*pairs);
        return;
    }
#endif
    (void)kind;
    *(bf16_anywhere *)to = *pairs;
}

/* Orders what was stored past the caches before what follows. */
VEC_INLINE void bf16_stores_fence(void)
{
#ifdef __AVX512F__
    _mm_sfence();
#endif
}

/* One row: `value` has the sums of products, and is used up. `at` is the panel's first number in
 * a tensor of (pixels, n). */
VEC_INLINE void bf16_end_row(struct bf16_end *work, const enum conv_end_kind kind, long at,
                             vec value[2])
{
    vec stored[2], other[2];
    bf16_pairs pairs;

    if (kind >= CONV_INNER)
        bf16_widen(work->end->values, at, stored);
    if (kind == CONV_OTHER)
        bf16_widen(work->end->other_values, at, other);
    bf16_end_value(work, kind, at, stored, value, &pairs);
    bf16_store(work, kind, at, &pairs);
    value[0] = BF16_EVEN(pairs);
    value[1] = BF16_ODD(pairs);
    for (int i = 0; i < 2 && kind != CONV_PLAIN; i++) {
        work->sum[i] += value[i];
        work->product[i] =
            VEC_FMA(value[i], kind == CONV_SUMS ? value[i] : stored[i], work->product[i]);
        if (kind == CONV_OTHER)
            work->other[i] = VEC_FMA(value[i], other[i], work->other[i]);
    }
}

/* Asks for what bf16_end_row() will read there. */
VEC_INLINE void bf16_end_ahead(const struct bf16_end *work, const enum conv_end_kind kind,
                               long at)
{
    const struct conv_end *end = work->end;

    if (kind >= CONV_INNER)
        __builtin_prefetch((const uint16_t *)end->values + at, 0, 2);
    if (kind >= CONV_KEPT) {
        __builtin_prefetch((const uint16_t *)end->active + at, 0, 2);
        __builtin_prefetch((const uint16_t *)end->add + at, 0, 2);
    }
    if (kind == CONV_OTHER)
        __builtin_prefetch((const uint16_t *)end->other_values + at, 0, 2);
}

VEC_INLINE void bf16_end_add(const vec halves[2], double *to)
{
    for (int i = 0; i < VEC_LANES; i++) {
        to[2 * i] += (double)halves[0][i];
        to[2 * i + 1] += (double)halves[1][i];
    }
}

/* sums[] of products: each was of (values - mean). */
VEC_INLINE void bf16_subtract_mean(const struct bf16_end *work, const float *means, vec sums[2])
{
    vec mean[2];

    bf16_split(means + work->channel, mean);
    for (int i = 0; i < 2; i++)
        sums[i] -= mean[i] * work->sum[i];
}

VEC_INLINE void bf16_end_finish(struct bf16_end *work, const enum conv_end_kind kind)
{
    double *sums = work->end->sums + work->channel;

    if (kind == CONV_PLAIN)
        return;
    if (kind >= CONV_INNER)
        bf16_subtract_mean(work, work->end->mean, work->product);
    if (kind == CONV_OTHER)
        bf16_subtract_mean(work, work->end->other_mean, work->other);
    bf16_end_add(work->sum, sums);
    bf16_end_add(work->product, sums + work->n);
    if (kind == CONV_OTHER)
        bf16_end_add(work->other, sums + 2 * work->n);
}
