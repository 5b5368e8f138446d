/* Matrix products on AMX's tiles: result (m, n) = left (m, k) x right (k, n), f32. Both
 * operands are read as they lie in memory, or as the transpose of what lies there, and a block at
 * a time is packed for the tiles: weights that are used once a step are packed nowhere else.
 * Each element is summed in an order that depends on k alone, so that any cut of m and n gives
 * the same bits. Numbers below the smallest normal one count as zero.
 *
 * Operands are bf16 or f32. Of the nine products of the parts of two numbers of f32 the six
 * largest are summed; the others are at most 2^-26 of the product, less than f32 rounds. */
#pragma once

#include "engine/train/kernels/products/product_pack.h"

#include <stddef.h>

/* Rows and columns of the result. */
struct tile_part {
    long row, rows, column, columns;
};

struct tile_product {
    long m, n, k;
    bool is_f32; /* what the operands are, or bf16 */
    struct tile_operand left, right;
    float *result;
    long result_stride;
    bool adds; /* to what is in the result */
    /* What product_tiles_pack() wrote of the right operand, at 64 bytes; NULL: it is packed on
     * the way. */
    const uint16_t *packed;
    void *scratch; /* product_tiles_scratch() bytes at 64 bytes, the thread's own */
    /* Called with each part of the result that is complete, while it is in a cache; or NULL. */
    void (*ready)(void *user, struct tile_part part);
    void *user;
};

/* Bytes that are enough for any product. */
size_t product_tiles_scratch(void);

/* Bytes of the packed right operand; 0 where it is too large to be used so. */
size_t product_tiles_packed(const struct tile_product *product);
void product_tiles_pack(const struct tile_product *product, uint16_t *ret_packed);

/* The processor has AMX. Uses the calling thread alone. */
void product_tiles_run(const struct tile_product *product);
