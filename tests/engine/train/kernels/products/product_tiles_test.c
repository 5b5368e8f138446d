/* Products on emulated tiles, where there is AVX-512 to pack for them; the engine's comparison
 * with PyTorch runs the same on tiles. */
#define WGRAD_EMULATE_TILES
#include "engine/train/kernels/products/product_tiles.c"

#include "tests/engine/train/kernels/products/product_trial.h"

TEST_WHERE(has_avx512, each_element_is_the_sum_that_is_defined)
{
    expect_sums(&product_tiles, false);
    expect_sums(&product_tiles, true);
}

TEST_WHERE(has_avx512, each_part_is_reported_once_when_it_is_complete)
{
    expect_reports(&product_tiles, false);
    expect_reports(&product_tiles, true);
}

TEST_WHERE(has_avx512, any_cut_computes_the_same_bits)
{
    expect_cuts(&product_tiles, false);
    expect_cuts(&product_tiles, true);
}

/* Each needs another of the six products of parts. */
TEST_WHERE(has_avx512, a_number_of_f32_keeps_all_its_bits)
{
    static const float factors[][2] = {{1, 0x1.5p3f},       {0x1.010101p0f, 1},
                                       {0x1.fffffep-9f, 1}, {1, 0x1.010101p0f},
                                       {-1, 0x1.fffffep5f}, {0x1.008p0f, 0x1.008p0f}};

    for (size_t i = 0; i < COUNT(factors); i++) {
        float result = UNTOUCHED;
        struct matrix_product product = {.m = 1,
                                         .n = 1,
                                         .k = 1,
                                         .is_f32 = true,
                                         .left = {&factors[i][0], false, 1},
                                         .right = {&factors[i][1], false, 1},
                                         .result = &result,
                                         .result_stride = 1};

        product.scratch = aligned(product_tiles.scratch_bytes);
        product_tiles.run(&product);
        EXPECT_NEAR((double)result, (double)factors[i][0] * (double)factors[i][1], 0);
        free(product.scratch);
    }
}
