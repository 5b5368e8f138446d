/* What the benchmarks of the kernels for text share: the set that is measured, numbers, medians
 * and the command line, [ISA [ROUNDS]]. Figures are of one thread. */
#pragma once

#include "bench/bench.h"
#include "engine/train/kernels/peak_loop.h"
#include "engine/train/kernels/text/text.h"

#include <stdint.h>
#include <stdio.h>

#define ROUNDS_MAX 100

static int rounds = 9;
static const struct text_kernels *kernels;
static size_t size; /* of a stored number */
static double peak; /* GFLOP/s */

/* The median time of each of `count` contestants. */
static void compete(void (*const run[])(void *user), void *user, int count, double *ret_seconds)
{
    double times[8][ROUNDS_MAX];

    for (int i = 0; i < rounds; i++)
        for (int c = 0; c < count; c++) {
            double start = now();

            run[c](user);
            times[c][i] = now() - start;
        }
    for (int c = 0; c < count; c++)
        ret_seconds[c] = median(times[c], rounds);
}

/* Stored numbers of about 0.01 that are not all alike. */
static void *numbers(long count, bool is_float)
{
    void *memory = pages((size_t)count * (is_float ? sizeof(float) : size));

    for (long i = 0; i < count; i++) {
        float value = 0.02f * (float)(i * 7919 % 1009) / 1009 - 0.01f;
        uint32_t bits;

        memcpy(&bits, &value, sizeof bits);
        if (is_float || size == sizeof value)
            ((float *)memory)[i] = value;
        else
            ((uint16_t *)memory)[i] = (uint16_t)(bits >> 16);
    }
    return memory;
}

static void measure_peak(enum cpu_isa isa, enum dnn_type type)
{
    const struct peak_loop *loop = peak_loop_for(isa < CPU_AMX ? isa : CPU_AVX512_BF16, type);
    double best = 0;

    for (int i = 0; i < 2000; i++) {
        double start = now(), done = loop->run(), rate = 2e-9 * done / (now() - start);

        best = rate > best ? rate : best;
    }
    peak = best;
    printf("%s: the core multiplies %.1f GFLOP/s at most (%s)\n", kernels->name, peak,
           loop->unit);
}

/* Calls `measure` with the set of each format. */
static int bench_each(int argc, char **argv, void (*measure)(void))
{
    enum cpu_isa isa = cpu_probe();

    if (argc > 1 && !cpu_isa_from_name(argv[1], &isa))
        return 2;
    if (argc > 2 && strtol(argv[2], NULL, 10) > 0)
        rounds = (int)strtol(argv[2], NULL, 10) % ROUNDS_MAX;
    for (int type = DNN_F32; type <= DNN_BF16; type++) {
        kernels = text_kernels_for(isa, (enum dnn_type)type);
        size = type == DNN_BF16 ? sizeof(uint16_t) : sizeof(float);
        measure_peak(isa, (enum dnn_type)type);
        measure();
    }
    return 0;
}
