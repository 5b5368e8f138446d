/* The maximum pool of every set of passes with what is not a number: a run that diverges must be
 * seen. passes_test.c holds the pool to its formula. */
#include "engine/train/kernels/passes.h"

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

static long channels;

static void with_each(void (*test)(const struct passes *passes))
{
    for (int i = 0; passes_at(i); i++)
        for (size_t c = 0; c < COUNT(channel_counts) && passes_at(i)->isa <= cpu_probe(); c++) {
            channels = channel_counts[c];
            test(passes_at(i));
        }
}

/* A test that is given each set that this processor can run, for so many channels each. */
#define TEST_OF_EACH_SET(name) TEST_GIVEN(name, const struct passes *passes, with_each)

/* Pixels 1, 2 and so on, so that the last of a window is the largest; scale 1 and shift 0. */
static void make(void)
{
    for (long i = 0; i < SIZE * SIZE * channels; i++)
        image[i] = (float)(1 + i / channels);
    for (long c = 0; c < channels; c++)
        affine[c] = 1, affine[channels + c] = 0;
}

/* Pixel `tap` of the inner window, which looks at rows and columns 1 to 3. */
static float *at(long tap, long channel)
{
    return image + ((1 + tap / 3) * SIZE + 1 + tap % 3) * channels + channel;
}

/* Returns where the inner window stands in `chosen` and `back`. */
static long pool(const struct passes *passes)
{
    const struct pass_pool work = {SIZE, channels, stored, affine, affine, chosen};

    passes->from_floats(image, (size_t)(SIZE * SIZE * channels), stored);
    passes->pool(&work, result);
    passes->to_floats(result, (size_t)(SIZE * SIZE / 4 * channels), back);
    return 3 * channels;
}

TEST_OF_EACH_SET(what_is_not_a_number_is_the_largest_wherever_it_stands)
{
    /* Processors make the second. */
    const float nans[] = {NAN, -NAN};

    for (long tap = 0; tap < TAPS; tap++) {
        long inner;

        make();
        *at(tap, channels - 1) = nans[tap % 2];
        inner = pool(passes);
        EXPECT(isnan(back[inner + channels - 1]));
        EXPECT_INT(chosen[inner + channels - 1], tap);
        if (channels > 1) { /* the others are what they were */
            EXPECT(back[inner] == 16);
            EXPECT_INT(chosen[inner], 8);
        }
    }
}

TEST_OF_EACH_SET(of_several_the_last_is_chosen_as_pytorch_does)
{
    long inner;

    make();
    *at(2, 0) = *at(5, 0) = NAN;
    inner = pool(passes);
    EXPECT(isnan(back[inner]));
    EXPECT_INT(chosen[inner], 5);
}

TEST_OF_EACH_SET(infinity_is_the_largest_and_its_opposite_is_not_above_zero)
{
    long inner;

    make();
    for (long tap = 0; tap < TAPS; tap++)
        *at(tap, 0) = -INFINITY;
    inner = pool(passes);
    EXPECT(back[inner] == 0);
    EXPECT_INT(chosen[inner], TAPS); /* none is above zero */
    *at(4, 0) = INFINITY;
    pool(passes);
    EXPECT(back[inner] == INFINITY);
    EXPECT_INT(chosen[inner], 4);
}

TEST_OF_EACH_SET(its_pixel_gets_the_gradient)
{
    double sums[2 * MOST] = {0};
    const struct pass_pool work = {SIZE, channels, stored, affine, affine, chosen};
    static float gradient[SIZE * SIZE * MOST];
    static uint32_t gradient_stored[SIZE * SIZE * MOST];

    make();
    *at(0, 0) = NAN;
    pool(passes);
    for (long i = 0; i < SIZE * SIZE / 4 * channels; i++)
        gradient[i] = (float)(1 + i / channels);
    passes->from_floats(gradient, (size_t)(SIZE * SIZE / 4 * channels), result);
    passes->unpool(&work, result, gradient_stored, sums);
    passes->to_floats(gradient_stored, (size_t)(SIZE * SIZE * channels), gradient);
    /* Pixel (1, 1) is in all four windows, and each of them chose it. */
    EXPECT(gradient[(SIZE + 1) * channels] == 10);
    EXPECT(gradient[15 * channels] == 0);
}
