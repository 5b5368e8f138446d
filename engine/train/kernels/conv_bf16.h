/* What the bf16 kernels of conv.h share: the packed weights, and the ends of a row of 32 channels
 * whose even and odd channels are in vectors of their own, so that a shift or an and widens a
 * stored pair. Needs vectors of 64 bytes, or the compiler's emulation of them. */
#pragma once

#include "engine/train/kernels/conv_rows.h"
#include "engine/train/kernels/conv_vec.h"

#define BF16_PANEL 32 /* channels of the result, and of what is multiplied at a time */
#define BF16_BLOCK (BF16_PANEL * BF16_PANEL)

_Static_assert(CONV_LANES == BF16_PANEL / 2, "even and odd channels are a vector each");

typedef uint32_t bf16_pairs __attribute__((vector_size(CONV_VEC_BYTES)));
typedef uint32_t bf16_anywhere
    __attribute__((vector_size(CONV_VEC_BYTES), aligned(2), may_alias));

#define BF16_LOAD(address) ((bf16_pairs) * (const bf16_anywhere *)(address))
#define BF16_EVEN(pairs) ((vec)((pairs) << 16))
#define BF16_ODD(pairs) ((vec)((pairs)&0xffff0000u))

/* conv_kernel's panels_size and pack. */
size_t conv_bf16_panels_size(const struct conv_shape *shape);
void conv_bf16_pack(const struct conv_shape *shape, const struct conv_weights *weights, int index,
                    int of, void *ret_panels);

/* Numbers that a tap multiplies, filled up. */
long conv_bf16_depth(const struct conv_shape *shape);

/* One panel of an end: [0] even channels, [1] odd ones. */
struct bf16_end {
    const struct conv_end *end;
    long n, channel; /* the panel's first */
    vec scale[2], shift[2], mean[2], other_mean[2];
    vec sum[2], product[2], other[2];
};

CONV_INLINE void bf16_split(const float *from, vec ret_halves[2])
{
    vec low = VEC_LOAD(from), high = VEC_LOAD(from + CONV_LANES);

    ret_halves[0] = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22,
                                            24, 26, 28, 30);
    ret_halves[1] = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23,
                                            25, 27, 29, 31);
}

CONV_INLINE void bf16_end_begin(struct bf16_end *work, const enum conv_end_kind kind)
{
    const struct conv_end *end = work->end;

    for (int i = 0; i < 2; i++)
        work->sum[i] = work->product[i] = work->other[i] = (vec){0};
    if (kind == CONV_INNER) {
        bf16_split(end->affine + work->channel, work->scale);
        bf16_split(end->affine + work->n + work->channel, work->shift);
    }
    if (kind >= CONV_INNER)
        bf16_split(end->mean + work->channel, work->mean);
    if (kind == CONV_OTHER)
        bf16_split(end->other_mean + work->channel, work->other_mean);
}

/* Rounds to nearest, ties to even, as passes_stored.h does. */
CONV_INLINE void bf16_round(const vec *value, bf16_pairs *ret_bits)
{
    bf16_pairs bits = (bf16_pairs)*value;

    *ret_bits = bits + 0x7fff + ((bits >> 16) & 1);
}

CONV_INLINE void bf16_widen(const void *stored, long at, vec ret_halves[2])
{
    bf16_pairs pairs = BF16_LOAD((const uint16_t *)stored + at);

    ret_halves[0] = BF16_EVEN(pairs);
    ret_halves[1] = BF16_ODD(pairs);
}

/* Changes the value to what the kind stores, but for its rounding. */
CONV_INLINE void bf16_end_value(const struct bf16_end *work, const enum conv_end_kind kind,
                                long at, const vec stored[2], vec value[2])
{
    vec add[2], active[2];

    if (kind == CONV_INNER)
        for (int i = 0; i < 2; i++)
            value[i] = VEC_WHERE(stored[i] * work->scale[i] + work->shift[i] > 0, value[i]);
    if (kind < CONV_KEPT)
        return;
    bf16_widen(work->end->add, at, add);
    bf16_widen(work->end->active, at, active);
    for (int i = 0; i < 2; i++)
        value[i] = VEC_WHERE(active[i] > 0, value[i] + add[i]);
}

/* One row: `value` has the sums of products, and is used up. `at` is the panel's first number in
 * a tensor of (pixels, n). */
CONV_INLINE void bf16_end_row(struct bf16_end *work, const enum conv_end_kind kind, long at,
                              vec value[2])
{
    const struct conv_end *end = work->end;
    vec stored[2], other[2];
    bf16_pairs even, odd;

    if (kind >= CONV_INNER)
        bf16_widen(end->values, at, stored);
    if (kind == CONV_OTHER)
        bf16_widen(end->other_values, at, other);
    bf16_end_value(work, kind, at, stored, value);
    bf16_round(&value[0], &even);
    bf16_round(&value[1], &odd);
    even >>= 16;
    odd &= 0xffff0000u;
    *(bf16_anywhere *)((uint16_t *)end->result + at) = even | odd;
    value[0] = (vec)(even << 16);
    value[1] = (vec)odd;
    for (int i = 0; i < 2 && kind != CONV_PLAIN; i++) {
        work->sum[i] += value[i];
        if (kind == CONV_SUMS)
            work->product[i] += value[i] * value[i];
        else
            work->product[i] += value[i] * (stored[i] - work->mean[i]);
        if (kind == CONV_OTHER)
            work->other[i] += value[i] * (other[i] - work->other_mean[i]);
    }
}

CONV_INLINE void bf16_end_add(const vec halves[2], double *to)
{
    for (int i = 0; i < CONV_LANES; i++) {
        to[2 * i] += (double)halves[0][i];
        to[2 * i + 1] += (double)halves[1][i];
    }
}

CONV_INLINE void bf16_end_finish(const struct bf16_end *work, const enum conv_end_kind kind)
{
    if (kind == CONV_PLAIN)
        return;
    bf16_end_add(work->sum, work->end->sums + work->channel);
    bf16_end_add(work->product, work->end->sums + work->n + work->channel);
    if (kind == CONV_OTHER)
        bf16_end_add(work->other, work->end->sums + 2 * work->n + work->channel);
}
