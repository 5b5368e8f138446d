/* Products of packed pairs on tiles; emulated with WGRAD_EMULATE_TILES, as wgrad_tiles.h says. */
#pragma once

#include "engine/train/kernels/wgrad_pack.h"
#include "engine/train/kernels/wgrad_tiles.h"

#include <stdatomic.h>

#define TILE 16L /* rows of a tile, and 32-bit columns */
#define TILE_WORDS (TILE * TILE)
_Static_assert(PANEL == 2 * TILE, "a panel is two tiles wide");

struct product {
    const uint32_t *rows, *columns;
    long depth, column_step; /* words from one pair of the columns to the next */
    float *sums;
    long stride; /* of the sums' rows */
    long tap;    /* numbers from the sums of one tap to the next tap's */
    bool accumulate;
};

/* 32 rows by 32 columns: sums in tiles 0 to 3. Loads stand between products, so that both units
 * have something to do. */
static TILE_TARGET void wgrad_multiply(const struct product *product)
{
    const uint32_t *upper = product->rows, *lower = upper + product->depth * TILE_WORDS;
    const uint32_t *columns = product->columns;
    long step = product->column_step * (long)sizeof *columns;

    tiles_begin(product->sums, product->stride, product->accumulate);
    for (long k = 0; k < product->depth; k++) {
        tile_load(6, columns, step);
        tile_load(4, upper, TILE * sizeof *upper);
        tile_multiply(0, 4, 6);
        tile_load(7, columns + TILE, step);
        tile_multiply(1, 4, 7);
        tile_load(5, lower, TILE * sizeof *lower);
        tile_multiply(2, 5, 6);
        tile_multiply(3, 5, 7);
        upper += TILE_WORDS;
        lower += TILE_WORDS;
        columns += TILE * product->column_step;
    }
    tiles_end(product->sums, product->stride);
}

/* The upper or the lower half of multiply_three(): sums in tiles 0 to 5. */
static TILE_TARGET void multiply_half(const struct product *product, const uint32_t *rows,
                                      float *sums)
{
    const uint32_t *columns = product->columns;
    float *second = sums + product->tap, *third = second + product->tap;
    long bytes = product->stride * (long)sizeof *sums;
    long step = product->column_step * (long)sizeof *columns;

    atomic_signal_fence(memory_order_seq_cst);
    if (product->accumulate) {
        tile_load(0, sums, bytes);
        tile_load(1, sums + TILE, bytes);
        tile_load(2, second, bytes);
        tile_load(3, second + TILE, bytes);
        tile_load(4, third, bytes);
        tile_load(5, third + TILE, bytes);
    } else {
        tile_zero(0);
        tile_zero(1);
        tile_zero(2);
        tile_zero(3);
        tile_zero(4);
        tile_zero(5);
    }
    for (long k = 0; k < product->depth; k++) {
        tile_load(6, rows, TILE * sizeof *rows);
        tile_load(7, columns, step);
        tile_multiply(0, 6, 7);
        tile_load(7, columns + TILE, step);
        tile_multiply(1, 6, 7);
        tile_load(7, columns + PANEL, step);
        tile_multiply(2, 6, 7);
        tile_load(7, columns + PANEL + TILE, step);
        tile_multiply(3, 6, 7);
        tile_load(7, columns + 2 * PANEL, step);
        tile_multiply(4, 6, 7);
        tile_load(7, columns + 2 * PANEL + TILE, step);
        tile_multiply(5, 6, 7);
        rows += TILE_WORDS;
        columns += TILE * product->column_step;
    }
    tile_store(0, sums, bytes);
    tile_store(1, sums + TILE, bytes);
    tile_store(2, second, bytes);
    tile_store(3, second + TILE, bytes);
    tile_store(4, third, bytes);
    tile_store(5, third + TILE, bytes);
    atomic_signal_fence(memory_order_seq_cst);
}

/* 32 rows by 32 columns, for three taps; each tap sees the columns one pair further. So what the
 * next tap loads is in the nearest cache, and each row is loaded once for all three. */
static TILE_TARGET void multiply_three(const struct product *product)
{
    multiply_half(product, product->rows, product->sums);
    multiply_half(product, product->rows + product->depth * TILE_WORDS,
                  product->sums + TILE * product->stride);
}
