#include "engine/train/onednn/dnn.h"

#include "common/cleanup.h"
#include "tests/test.h"

#include <math.h>

static const struct {
    long rows, inner, columns;
    bool left_transposed, right_transposed;
} products[] = {
    {1, 1, 1, false, false},   {2, 3, 4, false, false},    {5, 1, 7, false, false},
    {2, 3, 4, true, false},    {2, 3, 4, false, true},     {2, 3, 4, true, true},
    {1, 9, 1, true, true},     {33, 17, 65, false, false}, {33, 17, 65, true, false},
    {33, 17, 65, false, true}, {64, 64, 64, true, true},
};

/* Small whole numbers, so that f32 sums are exact whatever their order. */
static float whole(long i)
{
    return (float)(i * 7 % 11 - 5);
}

static double element(const float *matrix, struct dnn_matrix shape, long row, long column)
{
    return (double)(shape.transposed ? matrix[column * shape.rows + row]
                                     : matrix[row * shape.columns + column]);
}

static long count_wrong(const float *left, struct dnn_matrix a, const float *right,
                        struct dnn_matrix b, const float *result)
{
    long wrong = 0;

    for (long i = 0; i < a.rows; i++)
        for (long j = 0; j < b.columns; j++) {
            double sum = 0;

            for (long k = 0; k < a.columns; k++)
                sum += element(left, a, i, k) * element(right, b, k, j);
            wrong += fabs((double)result[i * b.columns + j] - sum) > 0;
        }
    return wrong;
}

static bool multiply(struct dnn_op *product, float *left, float *right, float *result,
                     struct error *err)
{
    void *const memory[] = {left, right, result};

    return dnn_op_run(product, memory, err);
}

static void a_product_agrees_with_the_sum_by_hand(void)
{
    static float left[64 * 64], right[65 * 64], result[64 * 65];
    struct error err = {0};
    struct dnn *dnn = dnn_open(1, &err);

    for (long i = 0; i < (long)COUNT(left); i++)
        left[i] = whole(i);
    for (long i = 0; i < (long)COUNT(right); i++)
        right[i] = whole(3 * i + 1);
    EXPECT(dnn != NULL);
    for (size_t i = 0; i < COUNT(products); i++) {
        const struct dnn_matrix a = {products[i].rows, products[i].inner,
                                     products[i].left_transposed};
        const struct dnn_matrix b = {products[i].inner, products[i].columns,
                                     products[i].right_transposed};
        struct dnn_op *product = dnn_product(dnn, a, b, &err);

        EXPECT(product != NULL);
        memset(result, 0xff, sizeof result); /* NaN: the old content must not count */
        EXPECT(multiply(product, left, right, result, &err));
        EXPECT_INT(count_wrong(left, a, right, b, result), 0);
        EXPECT(isnan(result[a.rows * b.columns]) || a.rows * b.columns == (long)COUNT(result));
        dnn_op_free(product);
    }
    EXPECT_STR(err.message, "");
    dnn_close(dnn);
}

static void a_product_can_be_run_again_with_other_numbers(void)
{
    float left[2] = {1, 2}, right[2] = {3, 4}, other[2] = {5, 6}, result[1], another[1];
    struct dnn *dnn = dnn_open(1, NULL);
    struct dnn_op *product = dnn_product(dnn, (struct dnn_matrix){1, 2, false},
                                         (struct dnn_matrix){2, 1, false}, NULL);

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

static void matrices_that_do_not_fit_are_refused(void)
{
    struct dnn *dnn = dnn_open(1, NULL);
    struct error err = {0};

    EXPECT(!dnn_product(dnn, (struct dnn_matrix){2, 3, false}, (struct dnn_matrix){4, 5, false},
                        &err));
    EXPECT_INT(err.kind, ERROR_INTERNAL);
    EXPECT(strncmp(err.message, "oneDNN cannot multiply such matrices: status ", 45) == 0);
    dnn_close(dnn);
}

static void the_library_says_its_version(void)
{
    char text[32], cut[5];
    int major = 0, minor = 0, patch = 0;

    dnn_version(text, sizeof text);
    EXPECT_INT(sscanf(text, "oneDNN %d.%d.%d", &major, &minor, &patch), 3);
    EXPECT(major >= 2);
    dnn_version(cut, sizeof cut);
    EXPECT_STR(cut, "oneD");
}

static void nothing_can_be_freed(void)
{
    dnn_op_free(NULL);
    dnn_close(NULL);
    EXPECT(true);
}

int main(void)
{
    RUN(a_product_agrees_with_the_sum_by_hand);
    RUN(a_product_can_be_run_again_with_other_numbers);
    RUN(matrices_that_do_not_fit_are_refused);
    RUN(the_library_says_its_version);
    RUN(nothing_can_be_freed);
    return test_result();
}
