#include "engine/train/kernels/products/panel_sums.h"

#include "common/cleanup.h"
#include "tests/engine/train/kernels/numbers.h"

#include <math.h>
#include <stdlib.h>

#define TERMS_MAX 9
#define GAP 2 /* rows behind each line, which are no part of any operand */

struct size {
    long lines, width, k, n, terms;
};

/* Whole blocks of rows and parts of them, one panel and several, lines that are near together,
 * and one that is not near at once. */
static const struct size sizes[] = {{1, 1, 1, 16, 1},    {1, 6, 4, 16, 2},   {3, 5, 27, 32, 1},
                                    {13, 13, 32, 64, 9}, {7, 30, 16, 32, 9}, {2, 300, 9, 16, 4}};

struct trial {
    struct panel_sums sums;
    float *left, *right;
    long shifts[TERMS_MAX];
};

/* Lines of `width` rows, and behind each but the last a gap that would spoil every sum. */
static float *lines_with_gaps(long lines, long width, long stride)
{
    long pitch = (width + GAP) * stride;
    float *ret = numbers(lines * pitch - GAP * stride);

    for (long line = 0; line < lines - 1; line++)
        for (long i = width * stride; i < pitch; i++)
            ret[line * pitch + i] = NAN;
    return ret;
}

/* Each term begins some rows, or a line, behind the one before: as the taps of a kernel do. */
static void make_trial(struct size size, struct trial *trial)
{
    long across = size.terms < 3 ? 1 : 3, wide = size.width + across - 1;

    trial->sums = (struct panel_sums){.lines = size.lines,
                                      .width = size.width,
                                      .n = size.n,
                                      .k = size.k,
                                      .terms = size.terms,
                                      .stride = size.k,
                                      .pitch = (wide + GAP) * size.k,
                                      .shifts = trial->shifts};
    for (long term = 0; term < size.terms; term++)
        trial->shifts[term] =
            term / across * trial->sums.pitch + term % across * trial->sums.stride;
    trial->left = lines_with_gaps(size.lines + (size.terms - 1) / across, wide, size.k);
    trial->sums.left = trial->left;
}

static double left_at(const struct panel_sums *sums, long term, long row, long k)
{
    return (double)sums->left[sums->shifts[term] + row / sums->width * sums->pitch +
                              row % sums->width * sums->stride + k];
}

static void expect_sums(struct size size)
{
    long rows = size.lines * size.width, deep = size.terms * size.k;
    struct trial trial;
    AUTO(freep) float *right = numbers(deep * size.n), *packed = numbers(deep * size.n);
    AUTO(freep) float *result = untouched(rows * size.n + 1);

    make_trial(size, &trial);
    panel_sums_pack(right, deep, size.n, packed);
    trial.sums.right = packed;
    trial.sums.result = result;
    panel_sums_run(&trial.sums);
    for (long row = 0; row < rows; row++)
        for (long column = 0; column < size.n; column++) {
            double sum = 0;

            for (long i = 0; i < deep; i++)
                sum += left_at(&trial.sums, i / size.k, row, i % size.k) *
                       (double)right[i * size.n + column];
            EXPECT_NEAR((double)result[row * size.n + column], sum, 1e-6 * (double)(deep + 80));
        }
    EXPECT(result[rows * size.n] == UNTOUCHED);
    free(trial.left);
}

static void expect_sums_back(struct size size)
{
    long rows = size.lines * size.width, deep = size.terms * size.k;
    long right_pitch = (size.width + GAP) * size.n;
    struct trial trial;
    AUTO(freep) float *right = lines_with_gaps(size.lines, size.width, size.n);
    AUTO(freep) float *result = untouched(deep * size.n + 1);
    AUTO(freep) float *scratch = numbers((long)panel_sums_scratch(size.width, size.n));

    make_trial(size, &trial);
    trial.sums.right = right;
    trial.sums.result = result;
    panel_sums_run_back(&trial.sums, right_pitch, scratch);
    for (long i = 0; i < deep; i++)
        for (long column = 0; column < size.n; column++) {
            double sum = (double)UNTOUCHED;

            for (long row = 0; row < rows; row++)
                sum += left_at(&trial.sums, i / size.k, row, i % size.k) *
                       (double)right[row / size.width * right_pitch + row % size.width * size.n +
                                     column];
            EXPECT_NEAR((double)result[i * size.n + column], sum, 1e-6 * (double)(rows + 80));
        }
    EXPECT(result[deep * size.n] == UNTOUCHED);
    free(trial.left);
}

TEST_WHERE(has_avx2, each_element_is_the_sum_of_all_terms)
{
    for (size_t i = 0; i < COUNT(sizes); i++)
        expect_sums(sizes[i]);
}

TEST_WHERE(has_avx2, the_gradient_of_each_weight_is_added)
{
    for (size_t i = 0; i < COUNT(sizes); i++)
        expect_sums_back(sizes[i]);
}

/* 1, and 2^-24 from each further term: in one sum all of these would be lost, and so would they
 * be if a term were added number by number. */
TEST_WHERE(has_avx2, each_term_is_summed_by_itself)
{
    static const long shifts[] = {0, 2};
    float left[4] = {1, 0, 0x1p-24f, 0x1p-24f}, right[4 * 16], packed[4 * 16], result[16];
    const struct panel_sums sums = {.lines = 1,
                                    .width = 1,
                                    .n = 16,
                                    .k = 2,
                                    .terms = 2,
                                    .left = left,
                                    .stride = 2,
                                    .pitch = 2,
                                    .shifts = shifts,
                                    .right = packed,
                                    .result = result};

    for (size_t i = 0; i < COUNT(right); i++)
        right[i] = 1;
    panel_sums_pack(right, 4, 16, packed);
    panel_sums_run(&sums);
    for (size_t i = 0; i < COUNT(result); i++)
        EXPECT_NEAR((double)result[i], 1 + 0x1p-23, 0);
}
