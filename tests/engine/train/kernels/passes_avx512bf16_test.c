/* The passes by bf16 instructions against the portable ones, bit by bit, which passes_test.c
 * holds to the formulas. Its 48 channels are no whole vectors, so there this set calls another.
 */
#include "engine/train/kernels/passes.h"

#include "tests/engine/train/noise.h"
#include "tests/test.h"

#include <math.h>

#define MOST 2048             /* channels */
#define ROWS 77               /* at most: two blocks of 32 rows, three times four, and one */
#define NUMBERS (ROWS * MOST) /* at most */

extern const struct passes passes_avx512bf16_bf16;
static const struct passes *const set = &passes_avx512bf16_bf16;

/* Whole vectors of 32 channels, and numbers that are not. */
static const long channel_counts[] = {32, 64, 96, 2048, 1, 31, 48, 100};
static const long row_counts[] = {1, 3, 32, ROWS};

static bool can_run(void)
{
    return cpu_probe() >= set->isa;
}

static const struct passes *portable(void)
{
    return passes_for(CPU_BASE, DNN_BF16);
}

/* bf16; one more than is written, to see that nothing is written there. */
static uint16_t left[NUMBERS + 1], right[NUMBERS + 1], third[NUMBERS + 1], fourth[NUMBERS + 1];
static float coefficients[4 * MOST];

static void make(uint16_t *numbers)
{
    static float floats[NUMBERS];

    fill(floats, COUNT(floats));
    portable()->from_floats(floats, COUNT(floats), numbers);
}

static void make_all(void)
{
    noise_state = 7;
    make(left);
    make(right);
    make(third);
    make(fourth);
    fill(coefficients, COUNT(coefficients));
}

/* What one set makes of the same numbers. */
struct outcome {
    uint16_t activated[NUMBERS + 1], joined[NUMBERS + 1], plain[NUMBERS + 1], back[NUMBERS + 1];
    uint16_t added[NUMBERS + 1], masked[4][NUMBERS + 1];
    double statistics[2 * MOST], mask_sums[4][3 * MOST];
};

static void run_masks(const struct passes *passes, struct rows rows, struct outcome *ret)
{
    for (int i = 0; i < 4; i++) {
        const struct pass_mask mask = {.gradient = left,
                                       .add = i & 1 ? fourth : NULL,
                                       .active = right,
                                       .result = ret->masked[i],
                                       .values = third,
                                       .other_values = i & 2 ? fourth : NULL,
                                       .mean = coefficients,
                                       .other_mean = coefficients + rows.channels};

        passes->mask(&mask, rows, ret->mask_sums[i]);
    }
}

static void run_all(const struct passes *passes, struct rows rows, struct outcome *ret)
{
    const float *of = coefficients;
    long c = rows.channels;
    const struct pass_join joined = {left, right, of, of + 2 * c},
                           plain = {left, right, of, NULL};
    const struct pass_batchnorm_backward back = {left, right, of, of + c, of + 2 * c, of + 3 * c};

    memset(ret, 0x5a, sizeof *ret);
    memset(ret->statistics, 0, sizeof ret->statistics);
    memset(ret->mask_sums, 0, sizeof ret->mask_sums);
    memcpy(ret->added, left, (size_t)(rows.count * c) * sizeof *left);
    passes->statistics(left, rows, ret->statistics);
    passes->activate(left, of, rows, ret->activated);
    passes->join(&joined, rows, ret->joined);
    passes->join(&plain, rows, ret->plain);
    passes->batchnorm_backward(&back, rows, ret->back);
    passes->add(right, rows, ret->added);
    run_masks(passes, rows, ret);
}

TEST(a_processor_with_bf16_gets_this_set)
{
    EXPECT(passes_for(CPU_AMX, DNN_BF16) == set);
    EXPECT(passes_for(CPU_AVX512_BF16, DNN_BF16) == set);
    EXPECT(passes_for(CPU_AVX512, DNN_BF16) != set);
    EXPECT(passes_for(CPU_AMX, DNN_F32) != set);
}

TEST_WHERE(can_run, any_number_of_channels_gives_the_bits_of_the_portable_set)
{
    static struct outcome expected, got;

    make_all();
    for (size_t c = 0; c < COUNT(channel_counts); c++)
        for (size_t r = 0; r < COUNT(row_counts); r++) {
            const struct rows rows = {row_counts[r], channel_counts[c]};

            run_all(portable(), rows, &expected);
            run_all(set, rows, &got);
            EXPECT(memcmp(expected.statistics, got.statistics, sizeof got.statistics) == 0);
            EXPECT(memcmp(expected.activated, got.activated, sizeof got.activated) == 0);
            EXPECT(memcmp(expected.joined, got.joined, sizeof got.joined) == 0);
            EXPECT(memcmp(expected.plain, got.plain, sizeof got.plain) == 0);
            EXPECT(memcmp(expected.back, got.back, sizeof got.back) == 0);
            EXPECT(memcmp(expected.added, got.added, sizeof got.added) == 0);
            EXPECT(memcmp(expected.masked, got.masked, sizeof got.masked) == 0);
            EXPECT(memcmp(expected.mask_sums, got.mask_sums, sizeof got.mask_sums) == 0);
        }
}

#define ROW 32 /* channels */

/* Images of 12x12 and of 2x2, whose windows all lie at an edge. */
TEST_WHERE(can_run, a_pool_gives_the_bits_of_the_portable_set)
{
    static struct pooled {
        uint8_t chosen[36 * 96];
        uint16_t result[36 * 96], gradient[144 * 96];
        double sums[2 * 96];
    } expected, got;

    make_all();
    for (long size = 2; size <= 12; size += 10)
        for (long channels = 32; channels <= 96; channels += 16) {
            const struct passes *const sets[] = {portable(), set};
            struct pooled *const outcomes[] = {&expected, &got};

            for (int i = 0; i < 2; i++) {
                const struct pass_pool pool = {size,         channels,     left,
                                               coefficients, coefficients, outcomes[i]->chosen};

                memset(outcomes[i], 0, sizeof got);
                sets[i]->pool(&pool, outcomes[i]->result);
                sets[i]->unpool(&pool, right, outcomes[i]->gradient, outcomes[i]->sums);
            }
            EXPECT(memcmp(expected.chosen, got.chosen, sizeof got.chosen) == 0);
            EXPECT(memcmp(expected.result, got.result, sizeof got.result) == 0);
            EXPECT(memcmp(expected.gradient, got.gradient, sizeof got.gradient) == 0);
            EXPECT(memcmp(expected.sums, got.sums, sizeof got.sums) == 0);
        }
}

/* A row of 32 channels: each of them four times. */
static const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, 3.3e38f, -3.3e38f};
#define SPECIALS COUNT(special)
static const struct rows one_row = {1, ROW};

/* Fills `left` with them, `right` with zeros, and the coefficients so that they change nothing.
 */
static void make_special(void)
{
    float row[ROW];

    memset(right, 0, sizeof right);
    memset(coefficients, 0, sizeof coefficients);
    for (size_t i = 0; i < ROW; i++) {
        row[i] = special[i % SPECIALS];
        coefficients[i] = coefficients[2 * ROW + i] = 1;
    }
    portable()->from_floats(row, ROW, left);
}

static void expect_special(const uint16_t *stored, bool through_relu)
{
    float back[ROW];

    portable()->to_floats(stored, ROW, back);
    for (size_t i = 0; i < ROW; i += SPECIALS) {
        EXPECT(back[i] == 0 && back[i + 1] == 0);
        EXPECT(back[i + 2] == INFINITY && isnan(back[i + 4]) && back[i + 6] > 3e38f);
        EXPECT(back[i + 3] == (through_relu ? 0 : -INFINITY));
        EXPECT(through_relu ? back[i + 7] == 0 : back[i + 7] < -3e38f);
        EXPECT(back[i + 5] == 0); /* too small: these instructions make it zero */
    }
}

/* A run that diverges must be seen. */
TEST_WHERE(can_run, what_is_not_a_number_stays_so)
{
    const float *one = coefficients, *zero = coefficients + ROW;
    const struct pass_join plain = {left, right, coefficients, NULL};
    const struct pass_join twice = {right, left, coefficients, coefficients + 2 * ROW};
    const struct pass_batchnorm_backward gradient = {left, right, one, zero, zero, zero};
    uint16_t result[ROW];

    make_special();
    set->activate(left, coefficients, one_row, result);
    expect_special(result, true);
    set->join(&plain, one_row, result);
    expect_special(result, true);
    set->join(&twice, one_row, result);
    expect_special(result, true);
    set->batchnorm_backward(&gradient, one_row, result);
    expect_special(result, false);
    memcpy(result, right, sizeof result);
    set->add(left, one_row, result);
    expect_special(result, false);
}

TEST_WHERE(can_run, sums_show_what_is_not_a_number)
{
    double sums[2 * ROW] = {0};

    make_special();
    set->statistics(left, one_row, sums);
    EXPECT((float)sums[2] == INFINITY && (float)sums[ROW + 3] == INFINITY);
    EXPECT(isnan(sums[4]) && isnan(sums[ROW + 4]));
}

/* Every gradient against every activation. What is active is positive and a number. */
TEST_WHERE(can_run, a_gradient_passes_where_the_portable_set_lets_it)
{
    uint16_t expected[ROW], got[ROW];
    double of_portable[2 * ROW] = {0}, sums[2 * ROW] = {0};
    struct pass_mask mask = {.gradient = left, .values = third, .mean = coefficients};

    make_special();
    memset(third, 0, sizeof third);
    for (size_t shift = 0; shift < SPECIALS; shift++) {
        for (size_t i = 0; i < ROW; i++)
            right[i] = got[i] = left[(i + shift) % SPECIALS];
        mask.active = right;
        mask.result = expected;
        portable()->mask(&mask, one_row, of_portable);
        mask.active = mask.result = got; /* what was active may be overwritten */
        set->mask(&mask, one_row, sums);
        EXPECT(memcmp(expected, got, sizeof got) == 0);
    }
    EXPECT(isnan(sums[4])); /* a gradient that is not a number has passed */
}
