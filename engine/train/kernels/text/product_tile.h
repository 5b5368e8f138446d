/* A tile of a product, kept in registers: up to TILE_ROWS rows and two vectors of columns. The
 * matrices are of units of four bytes: a float, or a pair of bf16 that stand next to each other
 * in the sum. */
#pragma once

#include "engine/train/kernels/text/text_vec.h"

#if CONV_VEC_BYTES == 64
#define TILE_ROWS 12
#else
#define TILE_ROWS 6
#endif
#define TILE_WIDE 2
#define TILE_COLUMNS (TILE_WIDE * LANES)

/* The left side of a tile: bytes from row to row, and from one unit of a row to the next. */
struct tile_left {
    const char *first;
    long row, step;
};

/* The right side: a line of TILE_COLUMNS units, and units from one line to the next. */
struct tile_right {
    const float *first;
    long step;
};

typedef vec tile[TILE_ROWS][TILE_WIDE];

/* The unit in every lane, untouched. */
CONV_INLINE vec tile_all(const char *from)
{
    int32_t unit;

    memcpy(&unit, from, sizeof unit);
    return (vec)((vec_bits){0} + unit);
}

CONV_INLINE vec tile_floats(vec left, vec right, vec sum)
{
    return VEC_FMA(left, right, sum);
}

/* The products of both numbers of a pair. */
CONV_INLINE vec tile_pairs(vec left, vec right, vec sum)
{
#if defined(__AVX512BF16__) && CONV_VEC_BYTES == 64
    return (vec)_mm512_dpbf16_ps((__m512)sum, (__m512bh)left, (__m512bh)right);
#else
    const vec_bits upper = (vec_bits){0} + (int32_t)0xffff0000;
    vec low = VEC_FMA((vec)((vec_bits)left << 16), (vec)((vec_bits)right << 16), sum);

    return VEC_FMA((vec)((vec_bits)left & upper), (vec)((vec_bits)right & upper), low);
#endif
}

/* sums += left x right: `steps` units of `rows` rows, and as many lines of the right side. */
CONV_INLINE void tile_multiply(const struct tile_left *left, struct tile_right right, long steps,
                               const int rows, const bool pairs, tile sums)
{
    const char
        *group[(TILE_ROWS + 2) / 3]; /* the first of each three rows: addresses are expensive */
    const float *lines = right.first;
    long row = left->row;

    for (int g = 0; g < (rows + 2) / 3; g++)
        group[g] = left->first + 3 * g * row;
#pragma GCC unroll 2
    for (long s = 0; s < steps; s++, lines += right.step) {
        vec line[TILE_WIDE];

        for (int v = 0; v < TILE_WIDE; v++)
            line[v] = VEC_LOAD(lines + v * LANES);
#pragma GCC unroll 12
        for (int r = 0; r < rows; r++) {
            vec unit = tile_all(group[r / 3] + r % 3 * row);

            for (int v = 0; v < TILE_WIDE; v++)
                sums[r][v] = pairs ? tile_pairs(unit, line[v], sums[r][v])
                                   : tile_floats(unit, line[v], sums[r][v]);
        }
        for (int g = 0; g < (rows + 2) / 3; g++)
            group[g] += left->step;
    }
}
