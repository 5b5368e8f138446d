#include "engine/train/kernels/products/product_panels.h"

#include "engine/machine/cpu.h"
#include "tests/engine/train/kernels/products/product_trial.h"

static void each_element_is_the_sum_that_is_defined(void)
{
    expect_sums(&product_panels, true);
}

static void each_part_is_reported_once_when_it_is_complete(void)
{
    expect_reports(&product_panels, true);
}

static void any_cut_computes_the_same_bits(void)
{
    expect_cuts(&product_panels, true);
}

int main(void)
{
    if (cpu_probe() < CPU_AVX2) {
        puts("skipped: no AVX2 here");
        return 0;
    }
    RUN(each_element_is_the_sum_that_is_defined);
    RUN(each_part_is_reported_once_when_it_is_complete);
    RUN(any_cut_computes_the_same_bits);
    return test_result();
}
