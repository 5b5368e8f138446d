#include "engine/machine/peak_flops.h"

#include "common/cleanup.h"

#define OPERATIONS_A_SAMPLE 6.0 /* for each multiply-add of the forward pass */

/* Vector units of a core times lanes times two; a tile operation of AMX takes 16 cycles for
 * 16 x 16 x 32 multiply-adds. bf16 where it is not native is computed in f32. */
static const struct {
    const char *isa, *precision; /* NULL: any other */
    double operations;
} units[] = {
    {"amx", "bf16", 1024},     {"avx512_bf16", "bf16", 128}, {"amx", NULL, 64},
    {"avx512_bf16", NULL, 64}, {"avx512", NULL, 64},         {"avx2", NULL, 32},
    {"sse41", NULL, 8},
};

bool peak_flops_estimate(const struct effort *effort, struct peak_flops *ret_peak)
{
    if (!(effort->cores > 0) || !(effort->hertz > 0) || !(effort->multiply_adds > 0) ||
        !(effort->samples_per_second > 0))
        return false;
    for (size_t i = 0; i < COUNT(units); i++) {
        struct peak_flops peak = {.operations_a_cycle = units[i].operations};

        if (strcmp(units[i].isa, effort->isa) != 0 ||
            (units[i].precision && strcmp(units[i].precision, effort->precision) != 0))
            continue;
        peak.achieved_tflops =
            OPERATIONS_A_SAMPLE * effort->multiply_adds * effort->samples_per_second / 1e12;
        peak.peak_tflops = effort->cores * effort->hertz * peak.operations_a_cycle / 1e12;
        peak.share = peak.achieved_tflops / peak.peak_tflops;
        *ret_peak = peak;
        return true;
    }
    return false;
}
