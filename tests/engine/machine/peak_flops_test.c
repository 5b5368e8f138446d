#include "engine/machine/peak_flops.h"

#include "tests/test.h"

#include <math.h>

static const struct effort zen = {.isa = "avx512_bf16",
                                  .precision = "bf16",
                                  .cores = 2,
                                  .hertz = 4e9,
                                  .multiply_adds = 4.0891e9,
                                  .samples_per_second = 32};

TEST(the_share_is_what_was_done_of_what_could_be)
{
    struct peak_flops peak;

    EXPECT(peak_flops_estimate(&zen, &peak));
    EXPECT(fabs(peak.achieved_tflops - 0.7851) < 1e-4);
    EXPECT(fabs(peak.peak_tflops - 1.024) < 1e-9);
    EXPECT(fabs(peak.share - 0.7667) < 1e-4);
}

TEST(only_bf16_with_its_instructions_has_twice_the_room_of_f32)
{
    static const struct {
        const char *isa, *precision;
        double operations_a_cycle;
    } rows[] = {{"avx512_bf16", "bf16", 128}, {"avx512_bf16", "f32", 64}, {"avx2", "bf16", 32}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct effort effort = zen;
        struct peak_flops peak;

        effort.isa = rows[i].isa;
        effort.precision = rows[i].precision;
        EXPECT(peak_flops_estimate(&effort, &peak));
        EXPECT_NEAR(peak.operations_a_cycle, rows[i].operations_a_cycle, 0);
    }
}

TEST(unknown_inputs_give_no_estimate)
{
    struct peak_flops peak;

    for (int missing = 0; missing < 5; missing++) {
        struct effort effort = zen;

        if (missing == 0)
            effort.isa = "";
        else
            *(double *[]){&effort.cores, &effort.hertz, &effort.multiply_adds,
                          &effort.samples_per_second}[missing - 1] = 0;
        EXPECT(!peak_flops_estimate(&effort, &peak));
    }
}
