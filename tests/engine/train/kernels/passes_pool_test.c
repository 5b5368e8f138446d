/* The maximum pool of every set of passes with what is not a number: a run that diverges must be
 * seen. passes_test.c holds the pool to its formula. */
#include "engine/train/kernels/passes.h"

#include "common/cleanup.h"
#include "tests/test.h"

#include <math.h>

#define SIZE 4
#define MOST 64 /* channels */
#define TAPS 9

static float image[SIZE * SIZE * MOST], back[SIZE * SIZE / 4 * MOST];
static uint32_t stored[SIZE * SIZE * MOST], result[SIZE * SIZE / 4 * MOST];
static uint8_t chosen[SIZE * SIZE / 4 * MOST];
static float affine[2 * MOST];

/* Whole vectors of every set, and numbers that are not. */
static const long channel_counts[] = {64, 48, 1};

/* Calls `check` with each set that this processor can run. */
static void with_each(void (*check)(const struct passes *passes, long channels))
{
    for (int i = 0; passes_at(i); i++)
        for (size_t c = 0; c < COUNT(channel_counts) && passes_at(i)->isa <= cpu_probe(); c++)
            check(passes_at(i), channel_counts[c]);
}

/* Pixels 1, 2 and so on, so that the last of a window is the largest; scale 1 and shift 0. */
static void make(long channels)
{
    for (long i = 0; i < SIZE * SIZE * channels; i++)
        image[i] = (float)(1 + i / channels);
    for (long c = 0; c < channels; c++)
        affine[c] = 1, affine[channels + c] = 0;
}

/* Pixel `tap` of the inner window, which looks at rows and columns 1 to 3. */
static float *at(long tap, long channel, long channels)
{
    return image + ((1 + tap / 3) * SIZE + 1 + tap % 3) * channels + channel;
}

/* Returns where the inner window stands in `chosen` and `back`. */
static long pool(const struct passes *passes, long channels)
{
    const struct pass_pool work = {SIZE, channels, stored, affine, affine, chosen};

    passes->from_floats(image, (size_t)(SIZE * SIZE * channels), stored);
    passes->pool(&work, result);
    passes->to_floats(result, (size_t)(SIZE * SIZE / 4 * channels), back);
    return 3 * channels;
}

static void check_one(const struct passes *passes, long channels)
{
    /* Processors make the second. */
    const float nans[] = {NAN, -NAN};

    for (long tap = 0; tap < TAPS; tap++) {
        long inner;

        make(channels);
        *at(tap, channels - 1, channels) = nans[tap % 2];
        inner = pool(passes, channels);
        EXPECT(isnan(back[inner + channels - 1]));
        EXPECT_INT(chosen[inner + channels - 1], tap);
        if (channels > 1) { /* the others are what they were */
            EXPECT(back[inner] == 16);
            EXPECT_INT(chosen[inner], 8);
        }
    }
}

TEST(what_is_not_a_number_is_the_largest_wherever_it_stands)
{
    with_each(check_one);
}

static void check_several(const struct passes *passes, long channels)
{
    long inner;

    make(channels);
    *at(2, 0, channels) = *at(5, 0, channels) = NAN;
    inner = pool(passes, channels);
    EXPECT(isnan(back[inner]));
    EXPECT_INT(chosen[inner], 5);
}

TEST(of_several_the_last_is_chosen_as_pytorch_does)
{
    with_each(check_several);
}

static void check_limits(const struct passes *passes, long channels)
{
    long inner;

    make(channels);
    for (long tap = 0; tap < TAPS; tap++)
        *at(tap, 0, channels) = -INFINITY;
    inner = pool(passes, channels);
    EXPECT(back[inner] == 0);
    EXPECT_INT(chosen[inner], TAPS); /* none is above zero */
    *at(4, 0, channels) = INFINITY;
    pool(passes, channels);
    EXPECT(back[inner] == INFINITY);
    EXPECT_INT(chosen[inner], 4);
}

TEST(infinity_is_the_largest_and_its_opposite_is_not_above_zero)
{
    with_each(check_limits);
}

static void check_gradient(const struct passes *passes, long channels)
{
    double sums[2 * MOST] = {0};
    const struct pass_pool work = {SIZE, channels, stored, affine, affine, chosen};
    static float gradient[SIZE * SIZE * MOST];
    static uint32_t gradient_stored[SIZE * SIZE * MOST];

    make(channels);
    *at(0, 0, channels) = NAN;
    pool(passes, channels);
    for (long i = 0; i < SIZE * SIZE / 4 * channels; i++)
        gradient[i] = (float)(1 + i / channels);
    passes->from_floats(gradient, (size_t)(SIZE * SIZE / 4 * channels), result);
    passes->unpool(&work, result, gradient_stored, sums);
    passes->to_floats(gradient_stored, (size_t)(SIZE * SIZE * channels), gradient);
    /* Pixel (1, 1) is in all four windows, and each of them chose it. */
    EXPECT(gradient[(SIZE + 1) * channels] == 10);
    EXPECT(gradient[15 * channels] == 0);
}

TEST(its_pixel_gets_the_gradient)
{
    with_each(check_gradient);
}
