/* Brings operands of products to the order in which AMX's tiles multiply them. Processors need
 * AVX-512. Numbers are bf16, or f32 that is split: a number of f32 is exactly the sum of three of
 * bf16, its parts, each rounded from what the ones before it leave. */
#pragma once

#include "engine/train/kernels/products/matrix_product.h"

#include <stdint.h>
#include <string.h>

#define TILE_ROWS 16L              /* rows of a tile, and columns of sums */
#define TILE_DEPTH 32L             /* numbers of the depth in a tile */
#define TILE_BLOCK (2 * TILE_ROWS) /* rows and columns of four tiles of sums */
#define TILE_NUMBERS 512L          /* of bf16 */
#define TILE_BYTES 64L             /* of a row */
#define TILE_PARTS 3L              /* of a number of f32 */

/* So many numbers of the depth, in whole tiles. */
static inline long tile_depth_of(long count)
{
    return (count + TILE_DEPTH - 1) / TILE_DEPTH * TILE_DEPTH;
}

/* So many rows and columns of sums. */
static inline void tile_copy_block(const float *from, long from_stride, float *to, long to_stride,
                                   long rows, long columns)
{
    for (long i = 0; i < rows; i++)
        memcpy(to + i * to_stride, from + i * from_stride, (size_t)columns * sizeof *to);
}

/* A block of the depth: which numbers of k, and how many tiles deep it is. */
struct tile_depth {
    long begin, count, tiles;
};

/* 32 of `count` columns of a right operand, with zeros around what there is:
 * [depth in tiles][two tiles][16 pairs][16 columns][2]. */
void pack_right(const struct matrix_operand *right, long count, struct tile_depth depth,
                long column, uint16_t *to);
/* The same of f32: [depth in tiles][parts][two tiles][16 pairs][16 columns][2]. The numbers of a
 * pair are 16 apart in f32, and neighbours in bf16. */
void split_right(const struct matrix_operand *right, long count, struct tile_depth depth,
                 long column, uint16_t *to);

/* 32 of `count` rows of a left operand, with zeros around what there is: (32, depth in tiles *
 * 32); of f32: (parts, 32, depth in tiles * 32), in the order of split_right(). */
void pack_left(const struct matrix_operand *left, long count, struct tile_depth depth, long row,
               uint16_t *to);
void split_left(const struct matrix_operand *left, long count, struct tile_depth depth, long row,
                uint16_t *to);

/* The parts of `count` numbers, in their order, each `part` numbers behind the one before: each
 * is an operand of bf16. */
void split_numbers(const float *numbers, long count, uint16_t *to, long part);
