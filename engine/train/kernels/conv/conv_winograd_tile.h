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

#define S (1.0F / 6)
static const float input_matrix[SIDE][SIDE] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0},
                                               {0, 4, -4, -1, 1, 0}, {0, -2, -1, 2, 1, 0},
                                               {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
static const float weight_matrix[SIDE][KERNEL] = {
    {.25F, 0, 0}, {-S, -S, -S}, {-S, S, -S}, {S / 4, S / 2, S}, {S / 4, -S / 2, S}, {0, 0, 1}};
static const float result_matrix[TILE][SIDE] = {
    {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};

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

/* Images of size x size pixels, and the tiles that their results are cut into. */
struct tiled {
    const stored *pixels;
    long size, channels;
};

VEC_INLINE long tiles_across(long size)
{
    return (size + TILE - 1) / TILE;
}

/* Where the pixels of a square are whose first one is (top, left); zeros outside of the image. */
static void tile_pixels(const struct tiled *images, long tile, int side,
                        const stored **ret_pixels)
{
    static const stored zeros[CONV_K_MAX];
    long size = images->size, across = tiles_across(size), image = tile / (across * across);
    long border = (side - TILE) / 2;
    long top = tile / across % across * TILE - border, left = tile % across * TILE - border;

    for (int i = 0; i < side * side; i++) {
        long y = top + i / side, x = left + i % side;
        bool inside = y >= 0 && y < size && x >= 0 && x < size;

        ret_pixels[i] =
            inside ? images->pixels + ((image * size + y) * size + x) * images->channels : zeros;
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
