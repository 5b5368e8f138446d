#include "engine/train/kernels/products/product_panels.h"

#include "tests/engine/train/kernels/products/product_trial.h"

TEST_WHERE(has_avx2, each_element_is_the_sum_that_is_defined)
{
    expect_sums(&product_panels, true);
}

TEST_WHERE(has_avx2, each_part_is_reported_once_when_it_is_complete)
{
    expect_reports(&product_panels, true);
}

TEST_WHERE(has_avx2, any_cut_computes_the_same_bits)
{
    expect_cuts(&product_panels, true);
}
