#include "engine/train/workloads/fastest_isa.h"

#include "common/clock.h"
#include "engine/train/kernels/peak_loop.h"
#include "engine/train/threads/host.h"

#include <string.h>

#define TURNS 10
#define SLICE_NS NS_PER_MS

enum cpu_isa fastest_isa(enum cpu_isa most, double multiplies, double with_fma)
{
    return most == CPU_AVX512_BF16 && multiplies > 0 && with_fma > multiplies ? CPU_AVX512 : most;
}

/* In one slice. What else wants the core makes it slower, never faster. */
static double rate_of(const struct peak_loop *loop)
{
    long long start = host_clock_ns(), end = start;
    double done = 0;

    while (end - start < SLICE_NS) {
        done += loop->run();
        end = host_clock_ns();
    }
    return done * (double)NS_PER_SECOND / (double)(end - start);
}

static double isa_larger(double a, double b)
{
    return a > b ? a : b;
}

/* In turns, so that both have the same clock; of each the best slice counts. */
static enum cpu_isa isa_measure(enum cpu_isa most)
{
    const struct peak_loop *pairs = peak_loop_for(most, DNN_BF16);
    const struct peak_loop *fma = peak_loop_for(CPU_AVX512, DNN_F32);
    double multiplies = 0, with_fma = 0;

    for (int i = 0; i < TURNS; i++) {
        multiplies = isa_larger(multiplies, rate_of(pairs));
        with_fma = isa_larger(with_fma, rate_of(fma));
    }
    return fastest_isa(most, multiplies, with_fma);
}

bool fastest_isa_use(const char *name, enum dnn_type type, enum cpu_isa *ret_isa,
                     struct error *err)
{
    if (type == DNN_BF16 && strcmp(name, "auto") == 0) {
        enum cpu_isa most = cpu_probe();

        if (most == CPU_AVX512_BF16)
            name = cpu_isa_name(isa_measure(most));
    }
    return dnn_use_isa(name, ret_isa, err);
}
