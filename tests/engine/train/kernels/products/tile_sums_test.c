/* Sums on emulated tiles, where there is AVX-512 to pack for them; the engine's comparison with
 * PyTorch runs the same on tiles. */
#define WGRAD_EMULATE_TILES
#include "engine/train/kernels/products/tile_sums.c"

#include "common/cleanup.h"
#include "tests/engine/train/kernels/numbers.h"

#include <math.h>
#include <stdlib.h>

#define SHIFT 5 /* rows from the left operand of a term to the next one's */

struct size {
    long m, n, k, terms;
};

/* Whole blocks and parts of them, one tile of the depth and several, terms that are summed
 * together and more than those. */
static const struct size sizes[] = {{32, 32, 32, 1}, {33, 64, 32, 9},  {70, 40, 64, 4},
                                    {5, 3, 96, 2},   {64, 32, 320, 3}, {31, 32, 32, 7}};

/* A matrix of numbers, as what is multiplied: bf16, or parts of f32. */
struct matrix {
    float *numbers;
    uint16_t *parts;
    long part;
};

static struct matrix make_matrix(bool is_f32, long count)
{
    struct matrix matrix = {.numbers = numbers(count), .part = count};

    matrix.parts = xcalloc((size_t)(TILE_PARTS * count), sizeof *matrix.parts);
    split_numbers(matrix.numbers, count, matrix.parts, count);
    for (long i = 0; !is_f32 && i < count; i++)
        matrix.numbers[i] = widen(matrix.parts[i]);
    return matrix;
}

static void free_matrix(struct matrix *matrix)
{
    free(matrix->numbers);
    free(matrix->parts);
}

struct trial {
    struct size size;
    bool is_f32, adds, apart;
    struct matrix left, right;
    float *result;
    long stride, lines;
};

static double defined(const struct trial *trial, long line, long column)
{
    const struct size *size = &trial->size;
    long row = line % size->m, first = trial->apart ? line / size->m : 0;
    long last = trial->apart ? first : size->terms - 1;
    double sum = trial->adds ? (double)UNTOUCHED : 0;

    for (long term = first; term <= last; term++)
        for (long i = 0; i < size->k; i++) {
            long right = trial->apart ? 0 : term * size->k * size->n;

            sum += (double)trial->left.numbers[(row + term * SHIFT) * size->k + i] *
                   (double)trial->right.numbers[right + i * size->n + column];
        }
    return sum;
}

static uint16_t *pack_all(const struct trial *trial)
{
    const struct size *size = &trial->size;
    long operands = trial->apart ? 1 : size->terms;
    size_t each = tile_sums_packed(size->n, size->k / TILE_DEPTH, trial->is_f32);
    uint16_t *packed = aligned((size_t)operands * each * sizeof *packed);

    for (long i = 0; i < operands; i++) {
        const struct matrix_operand right = {
            .numbers = trial->right.parts + i * size->k * size->n, .stride = size->n};

        tile_sums_pack(&right, trial->right.part, size->k, size->n, trial->is_f32,
                       packed + (size_t)i * each);
    }
    return packed;
}

static void run(const struct trial *trial)
{
    const struct size *size = &trial->size;
    uint16_t *packed = pack_all(trial);
    void *scratch = aligned(tile_sums_scratch());
    long shifts[9];
    const struct tile_sums sums = {.m = size->m,
                                   .n = size->n,
                                   .tiles = size->k / TILE_DEPTH,
                                   .is_f32 = trial->is_f32,
                                   .terms = size->terms,
                                   .shifts = shifts,
                                   .left = trial->left.parts,
                                   .stride = size->k,
                                   .part = trial->left.part,
                                   .right = packed,
                                   .result = trial->result,
                                   .result_stride = trial->stride,
                                   .adds = trial->adds,
                                   .apart = trial->apart};

    for (long i = 0; i < size->terms; i++)
        shifts[i] = i * SHIFT * size->k;
    tile_sums_run(&sums, scratch);
    free(packed);
    free(scratch);
}

/* f32: as exact as one rounding of each number and a few of their sum. */
static void expect_defined(const struct trial *trial)
{
    double each = trial->is_f32 ? 1e-7 : 1e-6;

    for (long line = 0; line < trial->lines; line++)
        for (long column = 0; column < trial->stride; column++) {
            double got = (double)trial->result[line * trial->stride + column];
            bool inside = column < trial->size.n;

            EXPECT_NEAR(got, inside ? defined(trial, line, column) : (double)UNTOUCHED,
                        inside ? each * (double)(trial->size.k + 80) : 0);
        }
}

static void try_sums(struct size size, bool is_f32, bool adds, bool apart)
{
    struct trial trial = {.size = size, .is_f32 = is_f32, .adds = adds, .apart = apart};

    trial.stride = size.n + MARGIN;
    trial.lines = apart ? size.terms * size.m : size.m;
    trial.left = make_matrix(is_f32, (size.m + size.terms * SHIFT) * size.k);
    trial.right = make_matrix(is_f32, size.terms * size.k * size.n);
    trial.result = untouched(trial.lines * trial.stride);
    run(&trial);
    expect_defined(&trial);
    free_matrix(&trial.left);
    free_matrix(&trial.right);
    free(trial.result);
}

TEST_WHERE(has_avx512, each_element_is_the_sum_that_is_defined)
{
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int way = 0; way < 8; way++)
            try_sums(sizes[i], way & 1, way & 2, way & 4);
}

/* One large term, and many that are lost one by one: together they are not. */
TEST_WHERE(has_avx512, what_rounding_loses_between_terms_is_kept)
{
    struct trial trial = {.size = {1, 1, 32, 9}, .is_f32 = true, .stride = 1, .lines = 1};
    float result = 0;

    trial.left = make_matrix(true, (1 + 9 * SHIFT) * 32);
    trial.right = make_matrix(true, 9L * 32);
    for (long i = 0; i < trial.left.part; i++)
        trial.left.numbers[i] = i == 0 ? 1 : i % (32L * SHIFT) ? 0 : 0x1p-25f;
    for (long i = 0; i < trial.right.part; i++)
        trial.right.numbers[i] = 1;
    split_numbers(trial.left.numbers, trial.left.part, trial.left.parts, trial.left.part);
    split_numbers(trial.right.numbers, trial.right.part, trial.right.parts, trial.right.part);
    trial.result = &result;
    run(&trial);
    EXPECT_NEAR((double)result, 1 + 8 * 0x1p-25, 0);
    free_matrix(&trial.left);
    free_matrix(&trial.right);
}
