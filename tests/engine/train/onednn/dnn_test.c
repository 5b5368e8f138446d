#include "engine/train/onednn/dnn.h"

#include "engine/train/onednn/dnn_make.h"
#include "tests/test.h"

#include <math.h>

/* Small whole numbers, so that f32 sums are exact whatever their order. */
static float whole(long i)
{
    return (float)(i * 7 % 11 - 5);
}

static bool multiply(struct dnn_op *product, float *left, float *right, float *result,
                     struct error *err)
{
    void *const memory[] = {left, right, result};

    return dnn_op_run(product, memory, err);
}

TEST(a_product_can_be_run_again_with_other_numbers)
{
    float left[2] = {1, 2}, right[2] = {3, 4}, other[2] = {5, 6}, result[1], another[1];
    struct dnn *dnn = dnn_open(1, NULL);
    const struct dnn_product shape = {.left = {.rows = 1, .columns = 2},
                                      .right = {.rows = 2, .columns = 1}};
    struct dnn_op *product = dnn_product(dnn, &shape, NULL);

    EXPECT(dnn && product);
    EXPECT(multiply(product, left, right, result, NULL));
    EXPECT(multiply(product, left, other, another, NULL));
    EXPECT_NEAR((double)result[0], 11, 0);
    EXPECT_NEAR((double)another[0], 17, 0);
    left[0] = 100;
    EXPECT(multiply(product, left, right, result, NULL));
    EXPECT_NEAR((double)result[0], 308, 0);
    dnn_op_free(product);
    dnn_close(dnn);
}

/* 2 x 2 of a wider matrix, times the transpose of such a part, into a part of a third one. */
TEST(a_product_of_parts_of_matrices_leaves_the_rest_alone_and_adds_where_asked_for)
{
    float left[] = {1, 2, 99, 3, 4, 99}, right[] = {5, 6, 99, 99, 7, 8, 99, 99};
    float result[] = {1, 1, -1, 1, 1, -1};
    const float written[] = {17, 23, -1, 39, 53, -1}, added[] = {34, 46, -1, 78, 106, -1};
    struct dnn *dnn = dnn_open(1, NULL);
    struct dnn_product shape = {
        .left = {.rows = 2, .columns = 2, .stride = 3},
        .right = {.rows = 2, .columns = 2, .transposed = true, .stride = 4},
        .result_stride = 3};
    struct dnn_op *writes = dnn_product(dnn, &shape, NULL), *adds;

    shape.adds = true;
    adds = dnn_product(dnn, &shape, NULL);
    EXPECT(dnn && writes && adds);
    EXPECT(multiply(writes, left, right, result, NULL));
    EXPECT(memcmp(result, written, sizeof result) == 0);
    EXPECT(multiply(adds, left, right, result, NULL));
    EXPECT(memcmp(result, added, sizeof result) == 0);
    dnn_op_free(writes);
    dnn_op_free(adds);
    dnn_close(dnn);
}

/* A matrix with `gap` numbers between its stored rows; with UNSAID there are none, and the shape
 * does not say so. */
#define UNSAID (-1)

static struct dnn_matrix spaced(long rows, long columns, bool transposed, long gap)
{
    return (struct dnn_matrix){.rows = rows,
                               .columns = columns,
                               .transposed = transposed,
                               .stride = gap == UNSAID ? 0 : (transposed ? rows : columns) + gap};
}

static long stride_of(struct dnn_matrix shape)
{
    return shape.stride ? shape.stride : shape.transposed ? shape.rows : shape.columns;
}

static float part_element(const float *matrix, struct dnn_matrix shape, long row, long column)
{
    return shape.transposed ? matrix[column * stride_of(shape) + row]
                            : matrix[row * stride_of(shape) + column];
}

#define ROOM 6144

/* Numbers of a result that differ from the sum by hand, and those between and behind its rows
 * that are no longer NaN. */
static long count_wrong_in_room(const struct dnn_product *shape, const float *left,
                                const float *right, const float *result)
{
    const struct dnn_matrix a = shape->left, b = shape->right;
    long wrong = 0, stride = shape->result_stride ? shape->result_stride : b.columns;

    for (long i = 0; i < ROOM; i++) {
        long row = i / stride, column = i % stride;
        float sum = 0;

        if (row >= a.rows || column >= b.columns) {
            wrong += !isnan(result[i]);
            continue;
        }
        for (long k = 0; k < a.columns; k++)
            sum += part_element(left, a, row, k) * part_element(right, b, k, column);
        wrong += !(fabsf(result[i] - sum) <= 0);
    }
    return wrong;
}

/* Of numbers that are no part of the product, NaN: one that is read shows. */
static void fill_part(float *matrix, struct dnn_matrix shape, long seed)
{
    long stored_rows = shape.transposed ? shape.columns : shape.rows;
    long stored_columns = shape.transposed ? shape.rows : shape.columns;

    for (long i = 0; i < ROOM; i++) {
        bool inside = i / stride_of(shape) < stored_rows && i % stride_of(shape) < stored_columns;

        matrix[i] = inside ? whole(seed * i + 1) : NAN;
    }
}

static void expect_part(struct dnn *dnn, struct dnn_matrix a, struct dnn_matrix b, long gap)
{
    static float left[ROOM], right[ROOM], result[ROOM];
    const struct dnn_product shape = {
        .left = a, .right = b, .result_stride = gap == UNSAID ? 0 : b.columns + gap};
    struct dnn_op *product = dnn_product(dnn, &shape, NULL);
    long wrong;

    fill_part(left, a, 1);
    fill_part(right, b, 3);
    memset(result, 0xff, sizeof result);
    EXPECT(product && multiply(product, left, right, result, NULL));
    wrong = count_wrong_in_room(&shape, left, right, result);
    if (wrong)
        fprintf(stderr, "%ld x %ld%s by %ld x %ld%s, gap %ld: %ld wrong\n", a.rows, a.columns,
                a.transposed ? " transposed" : "", b.rows, b.columns,
                b.transposed ? " transposed" : "", gap, wrong);
    EXPECT_INT(wrong, 0);
    dnn_op_free(product);
}

/* Threads divide small products into rows or columns as thin as one. */
TEST(matrices_and_parts_of_them_are_multiplied_and_the_rest_is_neither_read_nor_written)
{
    static const long sizes[] = {1, 2, 3, 7, 24, 33, 65}, gaps[] = {UNSAID, 0, 21};
    struct dnn *dnn = dnn_open(1, NULL);

    EXPECT(dnn != NULL);
    for (size_t i = 0; i < COUNT(sizes) * COUNT(sizes) * COUNT(sizes); i++)
        for (int way = 0; way < 12; way++) {
            long m = sizes[i % COUNT(sizes)], k = sizes[i / COUNT(sizes) % COUNT(sizes)];
            long n = sizes[i / COUNT(sizes) / COUNT(sizes)], gap = gaps[way / 4];

            expect_part(dnn, spaced(m, k, way & 1, gap), spaced(k, n, way & 2, gap), gap);
        }
    dnn_close(dnn);
}

TEST(matrices_that_do_not_fit_are_refused)
{
    struct dnn *dnn = dnn_open(1, NULL);
    struct error err = {0};

    const struct dnn_product shape = {.left = {.rows = 2, .columns = 3},
                                      .right = {.rows = 4, .columns = 5}};

    EXPECT(!dnn_product(dnn, &shape, &err));
    EXPECT_INT(err.kind, ERROR_INTERNAL);
    EXPECT(strncmp(err.message, "oneDNN cannot multiply such matrices: status ", 45) == 0);
    dnn_close(dnn);
}

TEST(the_library_says_its_version)
{
    char text[32], cut[5];
    int major = 0, minor = 0, patch = 0;

    dnn_version(text, sizeof text);
    EXPECT_INT(sscanf(text, "oneDNN %d.%d.%d", &major, &minor, &patch), 3);
    EXPECT(major >= 2);
    dnn_version(cut, sizeof cut);
    EXPECT_STR(cut, "oneD");
}

TEST(nothing_can_be_freed)
{
    dnn_op_free(NULL);
    dnn_close(NULL);
    EXPECT(true);
}
