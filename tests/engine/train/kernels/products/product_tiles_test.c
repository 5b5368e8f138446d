/* Products on emulated tiles, where there is AVX-512 to pack for them; the engine's comparison
 * with PyTorch runs the same on tiles. */
#define WGRAD_EMULATE_TILES
#include "engine/train/kernels/products/product_tiles.c"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/machine/cpu.h"
#include "tests/engine/train/noise.h"
#include "tests/test.h"

#include <math.h>

#define MARGIN 3 /* numbers behind each line, which are no part of the matrix */
#define UNTOUCHED 77.f

struct size {
    long m, n, k;
};

/* Whole tiles, parts of them, several blocks of the depth, several of the right operand. */
static const struct size sizes[] = {{32, 32, 32},  {1, 1, 1},     {16, 33, 31},
                                    {33, 16, 64},  {5, 57, 100},  {64, 64, 384},
                                    {40, 40, 385}, {31, 65, 800}, {48, 1300, 390}};

static float number_of(uint16_t bf16)
{
    uint32_t bits = (uint32_t)bf16 << 16;
    float number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Lines of a matrix with a margin of numbers that would spoil every sum. */
static void *fill_lines(bool is_f32, long lines, long width)
{
    size_t size = is_f32 ? sizeof(float) : sizeof(uint16_t);
    char *numbers = xcalloc((size_t)(lines * (width + MARGIN)), size);

    for (long i = 0; i < lines * (width + MARGIN); i++) {
        float number = i % (width + MARGIN) < width ? noise() : NAN;

        /* The upper half of a float is a number of bf16. */
        memcpy(numbers + (size_t)i * size, (char *)&number + sizeof number - size, size);
    }
    return numbers;
}

static struct tile_operand make_operand(bool is_f32, long rows, long columns, bool transposed)
{
    long width = transposed ? rows : columns;

    return (struct tile_operand){.numbers =
                                     fill_lines(is_f32, transposed ? columns : rows, width),
                                 .transposed = transposed,
                                 .stride = width + MARGIN};
}

static double at(bool is_f32, const struct tile_operand *operand, long row, long column)
{
    long line = operand->transposed ? column : row, place = operand->transposed ? row : column;
    long i = line * operand->stride + place;

    return is_f32 ? (double)((const float *)operand->numbers)[i]
                  : (double)number_of(((const uint16_t *)operand->numbers)[i]);
}

static double defined(const struct tile_product *product, long row, long column)
{
    double sum = product->adds ? (double)UNTOUCHED : 0;

    for (long i = 0; i < product->k; i++)
        sum += at(product->is_f32, &product->left, row, i) *
               at(product->is_f32, &product->right, i, column);
    return sum;
}

static void expect_defined(const struct tile_product *product)
{
    double error = 1e-6 * (double)(product->k + 80);

    for (long row = 0; row < product->m; row++)
        for (long column = 0; column < product->result_stride; column++) {
            double got = (double)product->result[row * product->result_stride + column];

            EXPECT_NEAR(got,
                        column < product->n ? defined(product, row, column) : (double)UNTOUCHED,
                        column < product->n ? error : 0);
        }
}

/* The same with a right operand that was packed before, where it is small enough. */
static void try_packed(struct tile_product *product)
{
    size_t bytes = product_tiles_packed(product);
    const void *right = product->right.numbers;
    uint16_t *packed = bytes ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;

    EXPECT((bytes > 0) == (product->n < 1300));
    if (!packed)
        return;
    product_tiles_pack(product, packed);
    for (long i = 0; i < product->m * product->result_stride; i++)
        product->result[i] = UNTOUCHED;
    product->packed = packed;
    product->right.numbers = NULL; /* it is not read again */
    product_tiles_run(product);
    product->right.numbers = right;
    expect_defined(product);
    free(packed);
}

static void try_product(struct size size, bool is_f32, bool left_transposed,
                        bool right_transposed, bool adds)
{
    struct tile_product product = {.m = size.m,
                                   .n = size.n,
                                   .k = size.k,
                                   .is_f32 = is_f32,
                                   .result_stride = size.n + MARGIN,
                                   .adds = adds};
    size_t count = (size_t)(size.m * product.result_stride);

    product.left = make_operand(is_f32, size.m, size.k, left_transposed);
    product.right = make_operand(is_f32, size.k, size.n, right_transposed);
    product.result = xcalloc(count, sizeof *product.result);
    product.scratch = aligned_alloc(64, (product_tiles_scratch() + 63) / 64 * 64);
    for (size_t i = 0; i < count; i++)
        product.result[i] = UNTOUCHED;
    product_tiles_run(&product);
    expect_defined(&product);
    try_packed(&product);
    free((void *)(uintptr_t)product.left.numbers);
    free((void *)(uintptr_t)product.right.numbers);
    free(product.result);
    free(product.scratch);
}

/* What was in the result when its parts were reported complete, and how often each was. */
struct reported {
    const struct tile_product *product;
    float *result;
    int *times;
};

static void keep_part(void *user, struct tile_part part)
{
    struct reported *reported = user;

    for (long row = part.row; row < part.row + part.rows; row++)
        for (long column = part.column; column < part.column + part.columns; column++) {
            long i = row * reported->product->result_stride + column;

            reported->result[i] = reported->product->result[i];
            reported->times[i]++;
        }
}

static void each_part_is_reported_once_when_it_is_complete(void)
{
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int is_f32 = 0; is_f32 <= 1; is_f32++) {
            struct tile_product product = {.m = sizes[i].m,
                                           .n = sizes[i].n,
                                           .k = sizes[i].k,
                                           .is_f32 = is_f32,
                                           .result_stride = sizes[i].n,
                                           .ready = keep_part};
            size_t count = (size_t)(product.m * product.n);
            struct reported reported = {&product, xcalloc(count, sizeof(float)),
                                        xcalloc(count, sizeof(int))};

            product.user = &reported;
            product.left = make_operand(is_f32, product.m, product.k, true);
            product.right = make_operand(is_f32, product.k, product.n, false);
            product.result = xcalloc(count, sizeof *product.result);
            product.scratch = aligned_alloc(64, (product_tiles_scratch() + 63) / 64 * 64);
            product_tiles_run(&product);
            for (size_t k = 0; k < count; k++)
                EXPECT_INT(reported.times[k], 1);
            EXPECT(memcmp(reported.result, product.result, count * sizeof(float)) == 0);
            free((void *)(uintptr_t)product.left.numbers);
            free((void *)(uintptr_t)product.right.numbers);
            free(product.result);
            free(product.scratch);
            free(reported.result);
            free(reported.times);
        }
}

static void each_element_is_the_sum_that_is_defined(void)
{
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int way = 0; way < 16; way++)
            try_product(sizes[i], way & 8, way & 1, way & 2, way & 4);
}

/* Each needs another of the six products of parts. */
static void a_number_of_f32_keeps_all_its_bits(void)
{
    static const float factors[][2] = {{1, 0x1.5p3f},       {0x1.010101p0f, 1},
                                       {0x1.fffffep-9f, 1}, {1, 0x1.010101p0f},
                                       {-1, 0x1.fffffep5f}, {0x1.008p0f, 0x1.008p0f}};

    for (size_t i = 0; i < COUNT(factors); i++) {
        float result = UNTOUCHED;
        struct tile_product product = {.m = 1,
                                       .n = 1,
                                       .k = 1,
                                       .is_f32 = true,
                                       .left = {&factors[i][0], false, 1},
                                       .right = {&factors[i][1], false, 1},
                                       .result = &result,
                                       .result_stride = 1};

        product.scratch = aligned_alloc(64, (product_tiles_scratch() + 63) / 64 * 64);
        product_tiles_run(&product);
        EXPECT_NEAR((double)result, (double)factors[i][0] * (double)factors[i][1], 0);
        free(product.scratch);
    }
}

int main(void)
{
    if (cpu_probe() < CPU_AVX512) {
        puts("skipped: no AVX-512 here");
        return 0;
    }
    RUN(each_element_is_the_sum_that_is_defined);
    RUN(each_part_is_reported_once_when_it_is_complete);
    RUN(a_number_of_f32_keeps_all_its_bits);
    return test_result();
}
