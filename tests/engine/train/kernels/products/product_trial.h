/* What holds for every kernel of matrix_product.h. */
#pragma once

#include "engine/train/kernels/products/matrix_product.h"

#include "common/cleanup.h"
#include "tests/engine/train/kernels/numbers.h"

#include <math.h>
#include <stdlib.h>

struct size {
    long m, n, k;
};

/* Whole tiles and panels, parts of them, several blocks of the depth, several of the right
 * operand, more rows than go by at a time. */
static const struct size sizes[] = {
    {32, 32, 32},  {1, 1, 1},     {16, 33, 31}, {33, 16, 64},   {5, 57, 100},    {64, 64, 384},
    {40, 40, 385}, {31, 65, 800}, {100, 9, 8},  {7, 300, 1200}, {48, 1300, 390}, {12, 192, 1500}};

/* Of a product in f32 or bf16. */
enum { LEFT_TRANSPOSED = 1, RIGHT_TRANSPOSED = 2, ADDS = 4, WAYS = 8 };

/* Lines with a margin of numbers that would spoil every sum. */
static inline struct matrix_operand make_operand(bool is_f32, long rows, long columns,
                                                 bool transposed)
{
    long lines = transposed ? columns : rows, width = transposed ? rows : columns;
    size_t size = is_f32 ? sizeof(float) : sizeof(uint16_t);
    char *numbers = xcalloc((size_t)(lines * (width + MARGIN)), size);

    for (long i = 0; i < lines * (width + MARGIN); i++) {
        float number = i % (width + MARGIN) < width ? noise() : NAN;

        /* The upper half of a float is a number of bf16. */
        memcpy(numbers + (size_t)i * size, (char *)&number + sizeof number - size, size);
    }
    return (struct matrix_operand){numbers, transposed, width + MARGIN};
}

static inline struct matrix_product make_product(const struct product_kernel *kernel,
                                                 struct size size, bool is_f32, int way)
{
    long stride = size.n + MARGIN;

    return (struct matrix_product){
        .m = size.m,
        .n = size.n,
        .k = size.k,
        .is_f32 = is_f32,
        .left = make_operand(is_f32, size.m, size.k, way & LEFT_TRANSPOSED),
        .right = make_operand(is_f32, size.k, size.n, way & RIGHT_TRANSPOSED),
        .result = untouched(size.m * stride),
        .result_stride = stride,
        .adds = way & ADDS,
        .scratch = aligned(kernel->scratch_bytes)};
}

static inline void free_product(struct matrix_product *product)
{
    free((void *)(uintptr_t)product->left.numbers);
    free((void *)(uintptr_t)product->right.numbers);
    free(product->result);
    free(product->scratch);
}

static inline double element(bool is_f32, const struct matrix_operand *operand, long row,
                             long column)
{
    long line = operand->transposed ? column : row, place = operand->transposed ? row : column;

    return number_at(operand->numbers, is_f32 ? DNN_F32 : DNN_BF16,
                     line * operand->stride + place);
}

static inline double defined(const struct matrix_product *product, long row, long column)
{
    double sum = product->adds ? (double)UNTOUCHED : 0;

    for (long i = 0; i < product->k; i++)
        sum += element(product->is_f32, &product->left, row, i) *
               element(product->is_f32, &product->right, i, column);
    return sum;
}

static inline void expect_defined(const struct matrix_product *product)
{
    double error = 1e-6 * (double)(product->k + 80);

    for (long row = 0; row < product->m; row++)
        for (long column = 0; column < product->result_stride; column++) {
            double got = (double)product->result[row * product->result_stride + column];
            bool outside = column >= product->n;

            EXPECT_NEAR(got, outside ? (double)UNTOUCHED : defined(product, row, column),
                        outside ? 0 : error);
        }
}

/* A right operand that was packed before is not read again. */
static inline void expect_defined_of_packed(const struct product_kernel *kernel,
                                            struct matrix_product product)
{
    size_t bytes = kernel->packed_bytes(&product);
    struct matrix_product packed = product;
    void *memory = aligned(bytes);

    kernel->pack(&product, memory);
    fill_untouched(product.result, product.m * product.result_stride);
    packed.packed = memory;
    packed.right.numbers = NULL;
    kernel->run(&packed);
    expect_defined(&product);
    free(memory);
}

static inline void expect_sums(const struct product_kernel *kernel, bool is_f32)
{
    int packed = 0, too_large = 0;

    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int way = 0; way < WAYS; way++) {
            struct matrix_product product = make_product(kernel, sizes[i], is_f32, way);

            kernel->run(&product);
            expect_defined(&product);
            if (kernel->packed_bytes(&product) > 0) {
                expect_defined_of_packed(kernel, product);
                packed++;
            } else {
                too_large++;
            }
            free_product(&product);
        }
    EXPECT(packed > 0 && too_large > 0);
}

/* What was in the result when its parts were reported complete, and how often each was. */
struct reported {
    const struct matrix_product *product;
    float *result;
    int *times;
};

static inline void keep_part(void *user, struct matrix_part part)
{
    struct reported *reported = user;

    for (long row = part.row; row < part.row + part.rows; row++)
        for (long column = part.column; column < part.column + part.columns; column++) {
            long i = row * reported->product->result_stride + column;
            long passed = reported->product->passes ? part.row : 0;

            reported->result[i] =
                reported->product->result[i - passed * reported->product->result_stride];
            reported->times[i]++;
        }
}

/* A kernel that passes rows on gives the same in a place for these rows alone. */
static inline void expect_passed(const struct product_kernel *kernel,
                                 const struct reported *reported)
{
    struct matrix_product product = *reported->product;
    size_t count = (size_t)(product.m * product.result_stride);
    float *result = untouched((long)count);
    struct reported passed = {&product, result, reported->times};

    product.result = untouched(kernel->rows_passed(&product) * product.result_stride);
    product.passes = true;
    product.user = &passed;
    kernel->run(&product);
    for (size_t i = 0; i < count; i++)
        EXPECT_INT(reported->times[i], 2 * ((long)i % product.result_stride < product.n));
    EXPECT(memcmp(result, reported->result, count * sizeof *result) == 0);
    free(product.result);
    free(result);
}

/* Each part is reported once, when it is complete; some sizes are passed on, some are not. */
static inline void expect_reports(const struct product_kernel *kernel, bool is_f32)
{
    int all = 0;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct matrix_product product = make_product(kernel, sizes[i], is_f32, LEFT_TRANSPOSED);
        size_t count = (size_t)(product.m * product.result_stride);
        float *result = untouched((long)count);
        struct reported reported = {&product, result, xcalloc(count, sizeof(int))};

        product.ready = keep_part;
        product.user = &reported;
        kernel->run(&product);
        for (long k = 0; k < (long)count; k++)
            EXPECT_INT(reported.times[k], k % product.result_stride < product.n);
        EXPECT(memcmp(result, product.result, count * sizeof *result) == 0);
        if (kernel->rows_passed(&product) > 0)
            expect_passed(kernel, &reported);
        else
            all++;
        free_product(&product);
        free(result);
        free(reported.times);
    }
    EXPECT(all > 0 && all < (int)COUNT(sizes));
}

/* Any cut of rows and columns computes the same bits. */
static inline void expect_cuts(const struct product_kernel *kernel, bool is_f32)
{
    size_t size = is_f32 ? sizeof(float) : sizeof(uint16_t);

    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct matrix_product product = make_product(kernel, sizes[i], is_f32, 0), part = product;
        long row = product.m / 3, column = product.n / 3;
        float *result = xcalloc((size_t)(product.m * product.n), sizeof *result);

        kernel->run(&product);
        part.m -= row;
        part.n -= column;
        part.left.numbers =
            (const char *)part.left.numbers + (size_t)(row * part.left.stride) * size;
        part.right.numbers = (const char *)part.right.numbers + (size_t)column * size;
        part.result = result;
        part.result_stride = part.n;
        kernel->run(&part);
        for (long r = 0; r < part.m; r++)
            EXPECT(memcmp(result + r * part.n,
                          product.result + (row + r) * product.result_stride + column,
                          (size_t)part.n * sizeof *result) == 0);
        free_product(&product);
        free(result);
    }
}
