/* Sums of products on AMX's tiles: result (m, n) = the sum over all terms of left (m, k) x right
 * (k, n), f32, of operands that are ready: nothing is packed on the way. A convolution is one:
 * its terms are the taps of the kernel, and their left operands are one image, from different
 * pixels on.
 *
 * In f32 the small products of the parts are summed by themselves, the large ones a few terms at
 * a time, and what rounding loses between these is kept: the result is twice as exact as with one
 * sum of f32 for each term, and fewer ReLUs near zero are decided otherwise than by exact sums.
 */
#pragma once

#include "engine/train/kernels/products/product_pack.h"

#include <stddef.h>

#define TILE_SUMS_DEPTH_MAX 384L /* of a left operand that does not have whole 32 rows */

struct tile_sums {
    long m, n, tiles; /* k is so many tiles deep */
    bool is_f32;      /* operands are parts of f32, or bf16 */
    long terms;
    const long *shifts;    /* (terms): numbers from `left` to the left operand of each */
    const uint16_t *left;  /* rows of bf16; of f32, its parts as split_numbers() writes them */
    long stride, part;     /* numbers from a row to the next, and from a part to the next */
    const uint16_t *right; /* (terms) operands as tile_sums_pack() writes them */
    float *result;
    long result_stride;
    bool adds;  /* to what is in the result */
    bool apart; /* each term is a result of its own, m rows behind the one before */
};

/* Of one right operand: bf16 numbers. */
size_t tile_sums_packed(long n, long tiles, bool is_f32);
/* A right operand (k, n) of bf16, or parts of f32, the next one `part` numbers behind. */
void tile_sums_pack(const struct matrix_operand *right, long part, long k, long n, bool is_f32,
                    uint16_t *ret_packed);

/* Bytes that a thread needs to run any, at 64 bytes. */
size_t tile_sums_scratch(void);
/* The processor has AMX. Uses the calling thread alone. */
void tile_sums_run(const struct tile_sums *sums, void *scratch);
