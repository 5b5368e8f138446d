/* Matrix products of dense layers: result (m, n) = left (m, k) x right (k, n), with what follows
 * a dense layer fused behind it. The three products of a layer y = x W^T + b, W (out, in), are
 *
 *   y  = x W^T:    left x,              right W, packed as transposed
 *   dx = dy W:     left dy,             right W, packed as it is
 *   dW = dy^T x:   left dy, transposed, right x, packed as it is
 *
 * The right matrix is packed before: once each time that it changes, by as many threads as there
 * are panels. Each element of the result is summed in an order that depends on k alone: any cut
 * into parts, by any number of threads, gives the same bits. Numbers are stored as f32 or as
 * bf16, as the set has it; sums are f32. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The right matrix before it is packed. */
struct product_right {
    const void *numbers;
    bool is_float;   /* f32 in any set; else as the set stores */
    bool transposed; /* it lies as (n, k) */
    long stride;     /* numbers from one line of it to the next */
    long k, n;
};

/* What becomes of a sum z, bias and `add` included. */
enum product_end {
    PRODUCT_PLAIN,
    PRODUCT_RELU,
    PRODUCT_GELU,      /* with `kept`, writes z there */
    PRODUCT_RELU_BACK, /* z where kept > 0: kept is what the ReLU gave */
    PRODUCT_GELU_BACK, /* z times the slope at kept: kept is what the GELU read */
};

struct product {
    long m, n, k;
    const void *left;  /* stored numbers */
    bool transposed;   /* the left matrix lies as (k, m) */
    long left_stride;  /* numbers from one line of it to the next */
    const void *right; /* packed */
    void *scratch; /* of this thread: product_kernel.scratch_bytes(); may be NULL if that is 0 */

    const float *bias; /* (n), or NULL */
    const void *add;   /* (m, n), of the result's type and stride; may be the result; or NULL */
    enum product_end end;
    void *kept; /* (m, n), stored numbers, of the result's stride */
    void *result;
    bool result_is_float; /* else as the set stores */
    long result_stride;
};

/* Of the result: rows, and panels of columns. */
struct product_part {
    long row_begin, row_end, panel_begin, panel_end;
};

struct product_kernel {
    long panel; /* columns */

    size_t (*right_bytes)(long k, long n);
    /* Fills panels begin .. end - 1 of `ret_packed`. */
    void (*pack)(const struct product_right *right, long begin, long end, void *ret_packed);
    size_t (*scratch_bytes)(const struct product *product);
    void (*run)(const struct product *product, struct product_part part);
};

/* Panels that n columns have. */
static inline long product_panels(const struct product_kernel *kernel, long n)
{
    return (n + kernel->panel - 1) / kernel->panel;
}
