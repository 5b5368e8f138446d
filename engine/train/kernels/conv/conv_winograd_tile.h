/* What Winograd's kernels share: the matrices of a tile, and the transformation of its input. The
 * name of a matrix says what it is applied to. */
#pragma once

#include "engine/train/kernels/conv/conv_stored.h"

#include <stdbool.h>

#define TILE 4
#define SIDE (TILE + 2)
#define NUMBERS (SIDE * SIDE)
#define KERNEL 3
#define APART 16 /* floats between matrices, so that they do not share the sets of a cache */

/* The points at which polynomials are multiplied: 0, A, -A, B, -B and infinity. The error is half
 * of what it is with 1 and 2, and only the numbers for weights are rounded. */
#define A 0.625F
#define B 1.5F
#define AA (A * A)
#define BB (B * B)
#define OF_A (2 * AA * (AA - BB))
#define OF_B (2 * BB * (BB - AA))
static const float input_matrix[SIDE][SIDE] = {
    {AA * BB, 0, -AA - BB, 0, 1, 0}, {0, -A *BB, -BB, A, 1, 0}, {0, A *BB, -BB, -A, 1, 0},
    {0, -AA *B, -AA, B, 1, 0},       {0, AA *B, -AA, -B, 1, 0}, {0, AA *BB, 0, -AA - BB, 0, 1}};
static const float weight_matrix[SIDE][KERNEL] = {{1 / (AA * BB), 0, 0},
                                                  {1 / OF_A, A / OF_A, AA / OF_A},
                                                  {1 / OF_A, -A / OF_A, AA / OF_A},
                                                  {1 / OF_B, B / OF_B, BB / OF_B},
                                                  {1 / OF_B, -B / OF_B, BB / OF_B},
                                                  {0, 0, 1}};
static const float result_matrix[TILE][SIDE] = {{1, 1, 1, 1, 1, 0},
                                                {0, A, -A, B, -B, 0},
                                                {0, AA, AA, BB, BB, 0},
                                                {0, A *AA, -A *AA, B *BB, -B *BB, 1}};

/* The dot product of a line of a matrix, a row or a column, with vectors: line_apart and apart
 * are the distances in each. Unrolled, so that zeros vanish. */
VEC_INLINE void combine_line(const float *line, int line_apart, int count, const vec *from,
                             int apart, vec *ret_sum)
{
    vec sum = {0};

#pragma GCC unroll 8
    for (int i = 0; i < count; i++)
        if (line[i * line_apart] != 0)
            sum = VEC_FMA(VEC_ALL(line[i * line_apart]), from[i * apart], sum);
    *ret_sum = sum;
}

VEC_INLINE void combine(const float *row, int count, const vec *from, int apart, vec *ret_sum)
{
    combine_line(row, 1, count, from, apart, ret_sum);
}

/* Images of size x size pixels, lines `pitch` pixels apart, and the tiles that results of
 * `across` tiles in each direction are cut into: the first one begins `border` pixels before the
 * image. */
struct tiled {
    const stored *pixels;
    long size, pitch, channels, across, border;
};

/* Pixels of the padding, where so many are read and written in each direction. */
VEC_INLINE long winograd_border(long read, long written)
{
    return (written - read + KERNEL - 1) / 2;
}

VEC_INLINE long tiles_across(long size)
{
    return (size + TILE - 1) / TILE;
}

/* Where the pixels of a square are whose first one is (top, left); zeros outside of the image. */
static void tile_pixels(const struct tiled *images, long tile, int side,
                        const stored **ret_pixels)
{
    static const stored zeros[CONV_K_MAX];
    long size = images->size, across = images->across, image = tile / (across * across);
    long top = tile / across % across * TILE - images->border;
    long left = tile % across * TILE - images->border;

    for (int i = 0; i < side * side; i++) {
        long y = top + i / side, x = left + i % side;
        bool inside = y >= 0 && y < size && x >= 0 && x < size;

        ret_pixels[i] =
            inside ? images->pixels + ((image * size + y) * images->pitch + x) * images->channels
                   : zeros;
    }
}

/* One tile with the border that a kernel sees: NUMBERS rows of channels, `apart` from each
 * other. */
static void tile_input(const struct tiled *images, long tile, long apart, float *ret_rows)
{
    const stored *pixels[NUMBERS];

    tile_pixels(images, tile, SIDE, pixels);
    for (long c = 0; c < images->channels; c += VEC_LANES) {
        vec columns[NUMBERS], from[SIDE];

#pragma GCC unroll 8
        for (int j = 0; j < SIDE; j++) {
            for (int i = 0; i < SIDE; i++)
                from[i] = STORED_LOAD(pixels[i * SIDE + j] + c);
#pragma GCC unroll 8
            for (int i = 0; i < SIDE; i++)
                combine(input_matrix[i], SIDE, from, 1, &columns[i * SIDE + j]);
        }
#pragma GCC unroll 8
        for (int i = 0; i < SIDE; i++)
#pragma GCC unroll 8
            for (int j = 0; j < SIDE; j++) {
                vec number;

                combine(input_matrix[j], SIDE, columns + i * SIDE, 1, &number);
                VEC_STORE(ret_rows + (i * SIDE + j) * apart + c, number);
            }
    }
}
