/* A product of matrices, as kernels compute it: result (m, n) = left (m, k) x right (k, n), f32.
 * Both operands are read as they lie in memory, or as the transpose of what lies there. Each
 * element is summed in an order that depends on k alone, so that any cut of m and n gives the
 * same bits. */
#pragma once

#include "common/order.h"

#include <stdbool.h>
#include <stddef.h>

struct matrix_operand {
    const void *numbers;
    bool transposed; /* it lies as its transpose */
    long stride;     /* numbers from one line of memory to the next */
};

/* Rows and columns of the result. */
struct matrix_part {
    long row, rows, column, columns;
};

struct matrix_product {
    long m, n, k;
    bool is_f32; /* what the operands are, or bf16 */
    struct matrix_operand left, right;
    float *result;
    long result_stride;
    bool adds; /* to what is in the result */
    /* What the kernel's pack() wrote of the right operand, at 64 bytes; NULL: it is packed on the
     * way. */
    const void *packed;
    void *scratch; /* scratch_bytes at 64 bytes, the thread's own */
    /* Called with each part of the result that is complete, while it is in a cache; or NULL. */
    void (*ready)(void *user, struct matrix_part part);
    void *user;
    /* ready() takes rows before the next ones are computed, and all have one place: `result` has
     * room for the kernel's rows_passed(). */
    bool passes;
};

struct product_kernel {
    size_t scratch_bytes; /* enough for any product */
    /* Whether it computes a product of this shape faster than oneDNN; `packed`: one whose right
     * operand is packed once and used often. */
    bool (*is_faster)(const struct matrix_product *product, bool packed);
    /* Bytes of the packed right operand; 0 where it is too large to be used so. */
    size_t (*packed_bytes)(const struct matrix_product *product);
    void (*pack)(const struct matrix_product *product, void *ret_packed);
    /* The most rows that it completes at a time; 0: it needs room for the whole result. */
    long (*rows_passed)(const struct matrix_product *product);
    /* Uses the calling thread alone. */
    void (*run)(const struct matrix_product *product);
};
