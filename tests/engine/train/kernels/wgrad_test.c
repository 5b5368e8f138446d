#include "tests/engine/train/kernels/wgrad_trial.h"

TEST(rows_of_pixels_agree_with_the_definition)
{
    static const long counts[] = {1, 2, 3, 31, 32, 33, 49, 196};

    for (size_t i = 0; i < COUNT(counts); i++) {
        check(pixels(counts[i], 32, 96), NORMAL); /* fewer inputs than outputs */
        check(pixels(counts[i], 64, 32), NORMAL);
    }
}

TEST(several_strips_of_pixels_add_up)
{
    check(pixels(2048, 32, 32), NORMAL);
    check(pixels(1535, 32, 64), NORMAL);
}

TEST(every_small_image_agrees_with_the_definition)
{
    for (long stride = 1; stride <= 2; stride++)
        for (long size = 1; size <= 9; size++)
            for (long count = 1; count <= 4; count++)
                check(images(count, size, stride, 32, 32), NORMAL);
}

TEST(images_of_the_network_agree_with_the_definition)
{
    const struct wgrad_shape shapes[] = {
        images(3, 7, 1, 64, 96),  images(8, 7, 1, 32, 32),  images(1, 14, 1, 64, 32),
        images(3, 14, 2, 32, 64), images(4, 14, 2, 64, 32), images(1, 28, 2, 32, 32),
    };

    for (size_t i = 0; i < COUNT(shapes); i++)
        check(shapes[i], NORMAL);
}

TEST(several_strips_of_images_add_up)
{
    const struct wgrad_shape shapes[] = {
        images(2, 28, 1, 32, 32),
        images(22, 14, 2, 32, 32),
        images(3, 19, 1, 32, 32),
        images(71, 3, 2, 32, 32),
    };

    for (size_t i = 0; i < COUNT(shapes); i++)
        check(shapes[i], NORMAL);
}

TEST(random_shapes_agree_with_the_definition)
{
    for (int i = 0; i < 40; i++) {
        long in = 32 * (1 + draw(3)), out = 32 * (1 + draw(3));
        struct wgrad_shape shape = pixels(1 + draw(300), in, out);

        if (draw(4) > 0)
            shape = images(1 + draw(4), 1 + draw(9), 1 + draw(2), in, out);
        check(shape, NORMAL);
    }
}

TEST(numbers_of_any_size_are_summed)
{
    static const uint32_t exponents[] = {0, 1, 60, 180}; /* from denormals to 1e16 */

    for (size_t i = 0; i < COUNT(exponents); i++) {
        check(pixels(33, 32, 64), exponents[i]);
        check(images(2, 6, 1, 32, 32), exponents[i]);
    }
}

TEST(what_is_not_a_number_is_not_hidden)
{
    with_each_kind(pixels(5, 32, 64), look_for_hidden);
    with_each_kind(images(2, 3, 1, 32, 32), look_for_hidden);
    with_each_kind(images(3, 4, 2, 32, 32), look_for_hidden);
}

TEST(ranges_put_together_are_the_whole)
{
    with_each_kind(pixels(40, 64, 128), put_together);
    with_each_kind(pixels(40, 128, 96), put_together);
    with_each_kind(images(2, 7, 1, 64, 96), put_together);
}

TEST(only_what_was_promised_is_supported)
{
    struct wgrad_shape row = pixels(9, 64, 32), odd = pixels(9, 48, 32), none = pixels(0, 32, 32);
    struct wgrad_shape image = images(1, 7, 2, 32, 32), large = image, strided = row,
                       wrong = image, floats = row;

    row.type = image.type = DNN_BF16;

    large.kernel = 5;
    strided.stride = 2;
    wrong.out_size = 3;
    EXPECT(wgrad_supports(WGRAD_PORTABLE, &row, CPU_BASE));
    EXPECT(wgrad_supports(WGRAD_PORTABLE, &image, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_PORTABLE, &odd, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_PORTABLE, &none, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_PORTABLE, &large, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_PORTABLE, &strided, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_PORTABLE, &wrong, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_AVX512_BF16, &row, CPU_AVX512));
    EXPECT(!wgrad_supports(WGRAD_AMX, &row, CPU_AVX512_BF16));
    EXPECT(!wgrad_supports(WGRAD_AVX512_F32, &row, CPU_AMX)); /* of bf16 */
    EXPECT(!wgrad_supports(WGRAD_AVX512_F32, &floats, CPU_AVX2));
    EXPECT(!wgrad_supports(WGRAD_AVX2_F32, &floats, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_AMX, &floats, CPU_AMX));
    EXPECT(wgrad_supports(WGRAD_PORTABLE, &floats, CPU_BASE));
#ifdef __x86_64__
    EXPECT(wgrad_supports(WGRAD_AVX512_F32, &floats, CPU_AVX512));
    EXPECT(wgrad_supports(WGRAD_AVX2_F32, &floats, CPU_AMX));
    EXPECT(wgrad_supports(WGRAD_AVX512_BF16, &row, CPU_AVX512_BF16));
    EXPECT(wgrad_supports(WGRAD_AVX512_BF16, &row, CPU_AMX));
    EXPECT(wgrad_supports(WGRAD_AMX, &row, CPU_AMX));
#endif
}

TEST(strides_are_dense_and_told_for_each_axis)
{
    const struct {
        struct wgrad_shape shape;
        long strides[4];
    } rows[] = {{pixels(9, 32, 64), {1, 64}}, /* fewer inputs than outputs */
                {pixels(9, 64, 32), {64, 1}},
                {images(1, 7, 1, 32, 64), {32, 1, 3 * 32 * 64, 32 * 64}}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        long strides[4];

        wgrad_strides(&rows[i].shape, strides);
        for (int axis = 0; axis < (rows[i].shape.kernel == 1 ? 2 : 4); axis++)
            EXPECT_INT(strides[axis], rows[i].strides[axis]);
    }
}

TEST(the_fastest_kind_is_the_one_for_the_type_and_the_processor)
{
    static const enum cpu_isa slow[] = {CPU_BASE, CPU_AVX2, CPU_AVX512};

    EXPECT_INT(wgrad_fastest(DNN_F32, CPU_BASE), WGRAD_PORTABLE);
    for (size_t i = 0; i < COUNT(slow); i++)
        EXPECT_INT(wgrad_fastest(DNN_BF16, slow[i]), WGRAD_PORTABLE);
#ifdef __x86_64__
    EXPECT_INT(wgrad_fastest(DNN_F32, CPU_AVX2), WGRAD_AVX2_F32);
    EXPECT_INT(wgrad_fastest(DNN_F32, CPU_AVX512), WGRAD_AVX512_F32);
    EXPECT_INT(wgrad_fastest(DNN_F32, CPU_AMX), WGRAD_AVX512_F32);
    EXPECT_INT(wgrad_fastest(DNN_BF16, CPU_AVX512_BF16), WGRAD_AVX512_BF16);
    EXPECT_INT(wgrad_fastest(DNN_BF16, CPU_AMX), WGRAD_AMX);
#endif
}

TEST(kinds_have_names)
{
    EXPECT_STR(wgrad_kind_name(WGRAD_PORTABLE), "portable");
    EXPECT_STR(wgrad_kind_name(WGRAD_AVX512_BF16), "avx512_bf16");
    EXPECT_STR(wgrad_kind_name(WGRAD_AMX), "amx");
    EXPECT_STR(wgrad_kind_name(WGRAD_AVX2_F32), "avx2_f32");
    EXPECT_STR(wgrad_kind_name(WGRAD_AVX512_F32), "avx512_f32");
}
