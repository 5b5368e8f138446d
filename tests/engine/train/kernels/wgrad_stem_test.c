#include "tests/engine/train/kernels/wgrad_trial.h"

static struct wgrad_shape stem(long count, long size, long out)
{
    struct wgrad_shape shape = images(count, size, 2, 3, out);

    shape.kernel = 7;
    return shape;
}

TEST(every_small_image_agrees_with_the_definition)
{
    for (long size = 1; size <= 12; size++)
        for (long count = 1; count <= 4; count++)
            check(stem(count, size, 64), NORMAL);
}

TEST(several_strips_add_up)
{
    check(stem(1, 67, 64), NORMAL);
    check(stem(2, 38, 96), NORMAL);
    check(stem(3, 71, 32), NORMAL);
}

TEST(numbers_of_any_size_are_summed)
{
    static const uint32_t exponents[] = {0, 1, 60, 180}; /* from denormals to 1e16 */

    for (size_t i = 0; i < COUNT(exponents); i++)
        check(stem(3, 8, 32), exponents[i]);
}

TEST(what_is_not_a_number_is_not_hidden)
{
    with_each_kind(stem(2, 7, 32), look_for_hidden);
    with_each_kind(stem(3, 8, 32), look_for_hidden);
}

TEST(ranges_put_together_are_the_whole)
{
    with_each_kind(stem(3, 9, 96), put_together);
}

TEST(only_what_was_promised_is_supported)
{
    struct wgrad_shape shape = stem(1, 7, 32), grey = shape, dense = shape, floats = shape;

    shape.type = DNN_BF16;
    grey.in_channels = 1;
    dense.stride = 1;
    dense.out_size = 7;
    EXPECT(wgrad_supports(WGRAD_PORTABLE, &shape, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_PORTABLE, &grey, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_PORTABLE, &dense, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_AVX512_BF16, &shape, CPU_AMX));
    EXPECT(!wgrad_supports(WGRAD_AVX512_F32, &floats, CPU_AMX));
    EXPECT(!wgrad_supports(WGRAD_AMX, &shape, CPU_AVX512_BF16));
#ifdef __x86_64__
    EXPECT(wgrad_supports(WGRAD_AMX, &shape, CPU_AMX));
#endif
}

TEST(weights_lie_by_row_column_and_input_channel)
{
    struct wgrad_shape shape = stem(1, 7, 32);
    long strides[4];

    wgrad_strides(&shape, strides);
    EXPECT_INT(strides[0], 7 * 7 * 3);
    EXPECT_INT(strides[1], 1);
    EXPECT_INT(strides[2], 7 * 3);
    EXPECT_INT(strides[3], 3);
}
