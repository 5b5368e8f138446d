#include "engine/train/networks/tensor_init.h"

#include "tests/test.h"

#include <math.h>

/* Computed apart, with integers of arbitrary size. */
static const struct {
    const char *name;
    unsigned long long seed;
    size_t index;
    double value;
} known[] = {
    {"conv1.weight", 1, 0, 0x1.f61758p-2},
    {"conv1.weight", 1, 9407, -0x1.c44e14p-1},
    {"images", 7, 12345, -0x1.545468p-1},
    {"fc.bias", 4294967295, 999, -0x1.ce6e6p-1},
};

TEST(the_noise_is_the_same_everywhere)
{
    for (size_t i = 0; i < COUNT(known); i++)
        EXPECT_NEAR((double)tensor_init_noise(known[i].name, known[i].seed, known[i].index),
                    known[i].value, 0);
}

TEST(the_noise_lies_in_its_interval_and_is_centred)
{
    double sum = 0;
    int outside = 0;

    for (size_t i = 0; i < 100000; i++) {
        double x = (double)tensor_init_noise("images", 1, i);

        outside += x < -1 || x >= 1;
        sum += x;
    }
    EXPECT_INT(outside, 0);
    EXPECT_NEAR(sum / 100000, 0, 0.01);
}

TEST(a_tensor_is_filled_with_scaled_and_shifted_noise)
{
    float values[3];

    tensor_init_fill(values, COUNT(values), "bn1.weight", 1, 0.5f, 2.0f);
    for (size_t i = 0; i < COUNT(values); i++)
        EXPECT_NEAR((double)values[i], 2 + 0.5 * (double)tensor_init_noise("bn1.weight", 1, i),
                    1e-6);
}

TEST(a_rank_has_its_part_of_the_sequence)
{
    float whole[7], part[3];

    tensor_init_fill(whole, COUNT(whole), "images", 5, sqrtf(3), 0);
    tensor_init_images(part, 4, COUNT(part), 5);
    EXPECT(memcmp(whole + 4, part, sizeof part) == 0);
}
