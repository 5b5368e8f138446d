/* Every set of passes against the plainest arithmetic, and against each other bit by bit. */
#include "engine/train/kernels/passes.h"

#include "tests/engine/train/noise.h"
#include "tests/test.h"

#include <math.h>

#define ROWS 77
#define CHANNELS 48
#define NUMBERS (ROWS * CHANNELS)
#define IMAGE 12 /* height and width, for passes that need to know */

/* Numbers as a set stores them, and what they are as floats. */
struct numbers {
    float floats[NUMBERS * 4];
    uint32_t stored[NUMBERS * 4];
};

static struct numbers left, right, third, result, other;

static void store(const struct passes *passes, struct numbers *numbers)
{
    passes->from_floats(numbers->floats, COUNT(numbers->floats), numbers->stored);
    passes->to_floats(numbers->stored, COUNT(numbers->floats), numbers->floats);
}

static void make(const struct passes *passes, struct numbers *numbers)
{
    fill(numbers->floats, COUNT(numbers->floats));
    store(passes, numbers);
}

static const float *floats(const struct passes *passes, struct numbers *numbers)
{
    passes->to_floats(numbers->stored, COUNT(numbers->floats), numbers->floats);
    return numbers->floats;
}

/* How far a stored number may be from the true one. */
static double precision(const struct passes *passes)
{
    return passes->type == DNN_BF16 ? 1.0 / 128 : 1e-6;
}

static bool runs_here(const struct passes *passes)
{
    return passes->isa <= cpu_probe();
}

static void with_each(void (*test)(const struct passes *passes))
{
    for (int i = 0; passes_at(i); i++)
        if (runs_here(passes_at(i)))
            test(passes_at(i));
}

/* A test that is given each set that this processor can run. */
#define TEST_OF_EACH_SET(name) TEST_GIVEN(name, const struct passes *passes, with_each)

static float affine[2 * CHANNELS], other_affine[2 * CHANNELS], mean[CHANNELS], slope[CHANNELS];
static const struct rows rows = {ROWS, CHANNELS};

static void make_all(const struct passes *passes)
{
    noise_state = 7;
    make(passes, &left);
    make(passes, &right);
    make(passes, &third);
    make(passes, &other);
    fill(affine, COUNT(affine));
    fill(other_affine, COUNT(other_affine));
    fill(mean, COUNT(mean));
    fill(slope, COUNT(slope));
}

static double relu(double value)
{
    return value > 0 ? value : 0;
}

static double normalised(const struct numbers *numbers, const float *with, long i)
{
    return (double)numbers->floats[i] * (double)with[i % CHANNELS] +
           (double)with[CHANNELS + i % CHANNELS];
}

TEST_OF_EACH_SET(statistics_are_the_sums_of_each_channel)
{
    double sums[2 * CHANNELS] = {0};

    make_all(passes);
    passes->statistics(left.stored, rows, sums);
    for (long c = 0; c < CHANNELS; c++) {
        double sum = 0, squares = 0;

        for (long r = 0; r < ROWS; r++) {
            double value = (double)left.floats[r * CHANNELS + c];

            sum += value;
            squares += value * value;
        }
        EXPECT_NEAR(sums[c], sum, 1e-5);
        EXPECT_NEAR(sums[CHANNELS + c], squares, 1e-5);
    }
}

TEST_OF_EACH_SET(activations_are_what_the_formulas_say)
{
    const struct pass_join plain = {left.stored, right.stored, affine, NULL};
    const struct pass_join twice = {left.stored, right.stored, affine, other_affine};

    make_all(passes);
    passes->activate(left.stored, affine, rows, result.stored);
    floats(passes, &result);
    for (long i = 0; i < NUMBERS; i++)
        EXPECT_NEAR((double)result.floats[i], relu(normalised(&left, affine, i)),
                    2 * precision(passes));
    passes->join(&plain, rows, result.stored);
    floats(passes, &result);
    for (long i = 0; i < NUMBERS; i++)
        EXPECT_NEAR((double)result.floats[i],
                    relu(normalised(&left, affine, i) + (double)right.floats[i]),
                    3 * precision(passes));
    passes->join(&twice, rows, result.stored);
    floats(passes, &result);
    for (long i = 0; i < NUMBERS; i++)
        EXPECT_NEAR((double)result.floats[i],
                    relu(normalised(&left, affine, i) + normalised(&right, other_affine, i)),
                    4 * precision(passes));
    passes->join(&plain, rows, result.stored);
    passes->join(&plain, rows, right.stored); /* in the shortcut's place */
    floats(passes, &result);
    EXPECT(memcmp(floats(passes, &right), result.floats, NUMBERS * sizeof(float)) == 0);
}

TEST_OF_EACH_SET(a_batch_norms_gradient_is_what_the_formula_says)
{
    const struct pass_batchnorm_backward work = {left.stored, right.stored, affine,
                                                 slope,       mean,         other_affine};

    make_all(passes);
    passes->batchnorm_backward(&work, rows, result.stored);
    floats(passes, &result);
    for (long i = 0; i < NUMBERS; i++) {
        long c = i % CHANNELS;
        double expected = (double)affine[c] * (double)left.floats[i] +
                          (double)slope[c] * ((double)right.floats[i] - (double)mean[c]) +
                          (double)other_affine[c];

        EXPECT_NEAR((double)result.floats[i], expected, 4 * precision(passes));
    }
}

static void check_mask_with(const struct passes *passes, const void *add, const void *others)
{
    double sums[3 * CHANNELS] = {0}, expected[3 * CHANNELS] = {0};
    const struct pass_mask mask = {.gradient = left.stored,
                                   .add = add,
                                   .active = right.stored,
                                   .result = result.stored,
                                   .values = third.stored,
                                   .mean = mean,
                                   .other_values = others,
                                   .other_mean = slope};

    passes->mask(&mask, rows, sums);
    floats(passes, &result);
    for (long i = 0; i < NUMBERS; i++) {
        long c = i % CHANNELS;
        double got = (double)result.floats[i];
        double whole = (double)left.floats[i] + (add ? (double)other.floats[i] : 0);

        EXPECT_NEAR(got, right.floats[i] > 0 ? whole : 0, 2 * precision(passes));
        expected[c] += got;
        expected[CHANNELS + c] += got * ((double)third.floats[i] - (double)mean[c]);
        expected[2 * CHANNELS + c] +=
            others ? got * ((double)other.floats[i] - (double)slope[c]) : 0;
    }
    for (long i = 0; i < 3 * CHANNELS; i++)
        EXPECT_NEAR(sums[i], expected[i], 1e-4);
}

TEST_OF_EACH_SET(a_gradient_passes_where_the_relu_was_active)
{
    make_all(passes);
    check_mask_with(passes, NULL, NULL);
    check_mask_with(passes, other.stored, NULL);
    check_mask_with(passes, NULL, other.stored);
    check_mask_with(passes, other.stored, other.stored);
}

TEST_OF_EACH_SET(what_was_active_may_be_overwritten)
{
    double sums[2 * CHANNELS] = {0};
    struct pass_mask mask = {.gradient = left.stored,
                             .active = right.stored,
                             .result = result.stored,
                             .values = third.stored,
                             .mean = mean};

    make_all(passes);
    passes->mask(&mask, rows, sums);
    mask.result = right.stored;
    passes->mask(&mask, rows, sums);
    EXPECT_INT(memcmp(result.stored, right.stored, NUMBERS * dnn_type_size(passes->type)), 0);
}

/* The largest of the window around output (h, w), and where its gradient belongs. */
static double window_best(const struct numbers *image, long h, long w, long c, long *ret_at)
{
    double best = 0;

    *ret_at = -1;
    for (long y = 2 * h - 1; y <= 2 * h + 1; y++)
        for (long x = 2 * w - 1; x <= 2 * w + 1; x++) {
            long at = (y * IMAGE + x) * CHANNELS + c;
            double value;

            if (y < 0 || y >= IMAGE || x < 0 || x >= IMAGE)
                continue;
            value = normalised(image, affine, at);
            if (value > best + 1e-6) {
                best = value;
                *ret_at = at;
            }
        }
    return best;
}

TEST_OF_EACH_SET(a_pool_gives_its_gradient_to_what_it_chose)
{
    static uint8_t chosen[IMAGE * IMAGE / 4 * CHANNELS];
    static double expected[IMAGE * IMAGE * CHANNELS];
    double sums[2 * CHANNELS] = {0}, sum = 0, total = 0;
    const struct pass_pool pool = {IMAGE, CHANNELS, left.stored, affine, mean, chosen};

    make_all(passes);
    memset(expected, 0, sizeof expected);
    passes->pool(&pool, result.stored);
    floats(passes, &result);
    for (long i = 0; i < (long)COUNT(chosen); i++) {
        long p = i / CHANNELS, at;
        double best = window_best(&left, p / (IMAGE / 2), p % (IMAGE / 2), i % CHANNELS, &at);

        EXPECT_NEAR((double)result.floats[i], best, 2 * precision(passes));
        if (at >= 0)
            expected[at] += (double)right.floats[i];
    }
    passes->unpool(&pool, right.stored, result.stored, sums);
    floats(passes, &result);
    for (long i = 0; i < IMAGE * IMAGE * CHANNELS; i++) {
        EXPECT_NEAR((double)result.floats[i], expected[i], 4 * precision(passes));
        sum += (double)result.floats[i];
    }
    for (long c = 0; c < CHANNELS; c++)
        total += sums[c];
    EXPECT_NEAR(total, sum, 1e-3);
}

TEST_OF_EACH_SET(every_second_pixel_is_taken_and_added_to)
{
    make_all(passes);
    passes->subsample(left.stored, IMAGE, CHANNELS, result.stored);
    floats(passes, &result);
    for (long h = 0; h < IMAGE / 2; h++)
        for (long i = 0; i < IMAGE / 2 * CHANNELS; i++)
            EXPECT(result.floats[h * IMAGE / 2 * CHANNELS + i] ==
                   left.floats[(2 * h * IMAGE + 2 * (i / CHANNELS)) * CHANNELS + i % CHANNELS]);
    passes->add_subsampled(right.stored, IMAGE, CHANNELS, left.stored);
    memcpy(result.floats, left.floats, sizeof result.floats);
    floats(passes, &left);
    for (long i = 0; i < IMAGE * IMAGE * CHANNELS; i++) {
        long p = i / CHANNELS, h = p / IMAGE, w = p % IMAGE;
        bool seen = h % 2 == 0 && w % 2 == 0;
        long at = (h / 2 * IMAGE / 2 + w / 2) * CHANNELS + i % CHANNELS;

        EXPECT_NEAR((double)left.floats[i],
                    (double)result.floats[i] + (seen ? (double)right.floats[at] : 0),
                    2 * precision(passes));
    }
}

TEST_OF_EACH_SET(a_mean_spreads_its_gradient_evenly)
{
    make_all(passes);
    passes->mean(left.stored, rows, result.stored);
    floats(passes, &result);
    for (long c = 0; c < CHANNELS; c++) {
        double sum = 0;

        for (long r = 0; r < ROWS; r++)
            sum += (double)left.floats[r * CHANNELS + c];
        EXPECT_NEAR((double)result.floats[c], sum / ROWS, precision(passes));
    }
    passes->spread(left.stored, rows, result.stored);
    floats(passes, &result);
    for (long i = 0; i < NUMBERS; i++)
        EXPECT_NEAR((double)result.floats[i], (double)left.floats[i % CHANNELS] / ROWS,
                    precision(passes));
}

TEST_OF_EACH_SET(a_step_is_sgd_over_all_copies)
{
    const struct sgd sgd = {0.5f, 0.25f, 0.125f};
    float *const copies[] = {left.floats, right.floats};
    float weights[100], velocity[100] = {0}, kept[100] = {0};
    struct pass_learn learn = {.copies = copies,
                               .copy_count = 2,
                               .weights = weights,
                               .gradient = kept,
                               .begin = 16,
                               .end = 100};

    make_all(passes);
    memset(weights, 0, sizeof weights);
    passes->learn(&learn, &sgd);
    for (int i = 0; i < 100; i++) {
        double sum = i < 16 ? 0 : (double)left.floats[i] + (double)right.floats[i];

        EXPECT_NEAR((double)kept[i], sum, 1e-6);
        EXPECT_NEAR((double)weights[i], -0.5 * sum, 1e-6);
    }
    memset(weights, 0, sizeof weights);
    learn.velocity = velocity;
    passes->learn(&learn, &sgd);
    passes->learn(&learn, &sgd);
    for (int i = 16; i < 100; i++) {
        double sum = (double)left.floats[i] + (double)right.floats[i], first = -0.5 * sum;
        double second = 0.25 * sum + sum + 0.125 * first;

        EXPECT_NEAR((double)velocity[i], second, 1e-5);
        EXPECT_NEAR((double)weights[i], first - 0.5 * second, 1e-5);
    }
}

/* Everything that a set computes, in one piece of memory. */
struct outcome {
    double sums[8 * CHANNELS];
    uint32_t activated[NUMBERS], joined[NUMBERS], batchnorm_back[NUMBERS], masked[NUMBERS];
    uint32_t pooled[NUMBERS], unpooled[4 * NUMBERS];
    uint8_t chosen[IMAGE * IMAGE / 4 * CHANNELS];
};

static void run_all(const struct passes *passes, struct outcome *ret)
{
    const struct pass_join join = {left.stored, right.stored, affine, other_affine};
    const struct pass_batchnorm_backward batchnorm_backward = {
        left.stored, right.stored, affine, slope, mean, other_affine};
    const struct pass_mask mask = {left.stored,  other.stored, right.stored, ret->masked,
                                   third.stored, other.stored, mean,         slope};
    const struct pass_pool pool = {IMAGE, CHANNELS, left.stored, affine, mean, ret->chosen};

    memset(ret, 0, sizeof *ret);
    make_all(passes);
    passes->statistics(left.stored, rows, ret->sums);
    passes->activate(left.stored, affine, rows, ret->activated);
    passes->join(&join, rows, ret->joined);
    passes->batchnorm_backward(&batchnorm_backward, rows, ret->batchnorm_back);
    passes->mask(&mask, rows, ret->sums + 2 * CHANNELS);
    passes->pool(&pool, ret->pooled);
    passes->unpool(&pool, right.stored, ret->unpooled, ret->sums + 5 * CHANNELS);
}

TEST(all_sets_of_a_format_give_the_same_bits)
{
    static struct outcome first, second;

    for (int i = 0; passes_at(i); i++) {
        const struct passes *passes = passes_at(i);

        if (!runs_here(passes)) {
            printf("skipped: %s cannot run here\n", passes->name);
            continue;
        }
        run_all(passes_for(CPU_BASE, passes->type), &first);
        run_all(passes, &second);
        EXPECT_INT(memcmp(&first, &second, sizeof first), 0);
    }
}

TEST_OF_EACH_SET(what_is_not_a_number_stays_so)
{
    const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, 3.3e38f, -3.3e38f};
    uint32_t stored[COUNT(special)];
    float back[COUNT(special)], same[2] = {1, 0};
    const struct rows one = {COUNT(special), 1};

    passes->from_floats(special, COUNT(special), stored);
    passes->to_floats(stored, COUNT(special), back);
    EXPECT(back[2] == INFINITY && back[3] == -INFINITY && isnan(back[4]));
    EXPECT(back[0] == 0 && fabsf(back[5]) < 1e-39f);
    /* A ReLU lets what is not a number through: a run that diverges must be seen. */
    passes->activate(stored, same, one, stored);
    passes->to_floats(stored, COUNT(special), back);
    EXPECT(isnan(back[4]));
    EXPECT(back[2] == INFINITY && back[3] == 0 && back[7] == 0);
}

TEST(bf16_is_rounded_to_nearest_even)
{
    const struct passes *passes = passes_for(CPU_BASE, DNN_BF16);
    const float values[] = {1.0f, 1.00390625f, 1.01171875f, 1.004f, -1.00390625f};
    const float rounded[] = {1.0f, 1.0f, 1.015625f, 1.0078125f, -1.0f};
    uint16_t stored[COUNT(values)];
    float back[COUNT(values)];

    passes->from_floats(values, COUNT(values), stored);
    passes->to_floats(stored, COUNT(values), back);
    for (size_t i = 0; i < COUNT(values); i++)
        EXPECT_NEAR((double)back[i], (double)rounded[i], 0);
}

TEST(a_processor_gets_no_more_than_it_has)
{
    for (int isa = CPU_BASE; isa <= CPU_AMX; isa++) {
        EXPECT(passes_for((enum cpu_isa)isa, DNN_F32)->isa <= (enum cpu_isa)isa);
        EXPECT_INT(passes_for((enum cpu_isa)isa, DNN_BF16)->type, DNN_BF16);
    }
}
