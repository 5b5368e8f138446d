/* The element-wise passes over bf16 at shapes of ResNet-50, each alone on one thread: every set
 * that this processor can run against the one compiled for AVX-512.
 *
 *     cmake --preset release && cmake --build build/release --target train
 *     cc -std=c17 -D_GNU_SOURCE -O2 -I. bench/passes.c -o build/bench-passes
 *         build/release/engine/train/libtrain.a -Wl,--start-group \
 *         $(find build/release/common build/release/engine -name '*.a') -Wl,--end-group \
 *         -ldnnl -lgomp -ljansson -lm
 *     build/bench-passes [rounds [the pass's name]]
 *
 * The depth-first plan calls a pass for one chunk of images after another. What a tensor of the
 * whole batch holds comes from memory, what belongs to the thread's current chunk is in cache:
 * the table says which is which. The sets take turns, each is timed by what the thread has of the
 * processor, and a ratio is the median of the rounds': above 1 a set is faster than AVX-512's. */
#include "engine/train/kernels/passes.h"
#include "bench/bench.h"
#include "common/cleanup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING ((size_t)256 << 20) /* bytes of a tensor of the batch: more than a cache holds */
#define CHUNK 800000             /* bytes of each tensor in a chunk */
#define CHUNKS 12                /* chunks of one measurement */
#define STAGGER                                                                                  \
    4416LU /* between the low address bits of tensors, as the engine's arena has it              \
            */
#define MOST_ROUNDS 101
#define MOST_SETS 16

static const struct rows shapes[] = {
    {56L * 56, 64}, {56L * 56, 256}, {28L * 28, 512}, {14L * 14, 1024}, {7L * 7, 2048}};

enum tensor { VALUES, GRADIENT, OTHER, ACTIVE, RESULT, TENSORS };

/* One call: where the chunk lies in each tensor. */
struct call {
    void *at[TENSORS];
    struct rows rows;
    const float *coefficients; /* (4, channels) */
    double *sums;
    uint8_t *chosen;
};

static void do_statistics(const struct passes *set, const struct call *call)
{
    set->statistics(call->at[VALUES], call->rows, call->sums);
}

static void do_activate(const struct passes *set, const struct call *call)
{
    set->activate(call->at[VALUES], call->coefficients, call->rows, call->at[RESULT]);
}

static void do_join(const struct passes *set, const struct call *call)
{
    const struct pass_join join = {call->at[VALUES], call->at[OTHER], call->coefficients, NULL};

    set->join(&join, call->rows, call->at[RESULT]);
}

static void do_join_normalised(const struct passes *set, const struct call *call)
{
    const struct pass_join join = {call->at[VALUES], call->at[OTHER], call->coefficients,
                                   call->coefficients + 2 * call->rows.channels};

    set->join(&join, call->rows, call->at[RESULT]);
}

static void do_batchnorm_backward(const struct passes *set, const struct call *call)
{
    const float *of = call->coefficients;
    long c = call->rows.channels;
    const struct pass_batchnorm_backward work = {call->at[GRADIENT], call->at[VALUES], of, of + c,
                                                 of + 2 * c,         of + 3 * c};

    set->batchnorm_backward(&work, call->rows, call->at[RESULT]);
}

/* The three masks differ in what they are given. */
static void mask(const struct passes *set, const struct call *call, const void *add,
                 const void *others)
{
    const struct pass_mask mask = {.gradient = call->at[GRADIENT],
                                   .add = add,
                                   .active = call->at[ACTIVE],
                                   .result = call->at[RESULT],
                                   .values = call->at[VALUES],
                                   .other_values = others,
                                   .mean = call->coefficients,
                                   .other_mean = call->coefficients};

    set->mask(&mask, call->rows, call->sums);
}

static void do_mask(const struct passes *set, const struct call *call)
{
    mask(set, call, NULL, NULL);
}

static void do_mask_add(const struct passes *set, const struct call *call)
{
    mask(set, call, call->at[OTHER], NULL);
}

static void do_mask_others(const struct passes *set, const struct call *call)
{
    mask(set, call, NULL, call->at[OTHER]);
}

static void do_add(const struct passes *set, const struct call *call)
{
    set->add(call->at[VALUES], call->rows, call->at[RESULT]);
}

static void do_mean(const struct passes *set, const struct call *call)
{
    set->mean(call->at[VALUES], call->rows, call->at[RESULT]);
}

/* Images of 56x56, whatever the shape: the only pool has 64 channels. */
static struct pass_pool pool_of(const struct call *call)
{
    return (struct pass_pool){.size = 56,
                              .channels = call->rows.channels,
                              .values = call->at[VALUES],
                              .affine = call->coefficients,
                              .mean = call->coefficients,
                              .chosen = call->chosen};
}

static void do_pool(const struct passes *set, const struct call *call)
{
    const struct pass_pool pool = pool_of(call);

    set->pool(&pool, call->at[RESULT]);
}

static void do_unpool(const struct passes *set, const struct call *call)
{
    const struct pass_pool pool = pool_of(call);

    set->unpool(&pool, call->at[GRADIENT], call->at[RESULT], call->sums);
}

static const struct bench_pass {
    const char *name;
    void (*run)(const struct passes *set, const struct call *call);
    const char *near; /* the tensors whose chunk is in cache, by the letters of "vgoar" */
    int tensors;      /* read and written, for the figure in GB/s */
    size_t shapes;    /* the first so many */
} passes[] = {
    {"statistics", do_statistics, "v", 1, COUNT(shapes)},
    {"activate", do_activate, "r", 2, COUNT(shapes)},
    {"join", do_join, "", 3, COUNT(shapes)},
    {"join normalised", do_join_normalised, "", 3, COUNT(shapes)},
    {"batchnorm_backward", do_batchnorm_backward, "r", 3, COUNT(shapes)},
    {"mask", do_mask, "ga", 4, COUNT(shapes)},
    {"mask and add", do_mask_add, "g", 5, COUNT(shapes)},
    {"mask and others", do_mask_others, "g", 5, COUNT(shapes)},
    {"add", do_add, "vr", 3, COUNT(shapes)},
    {"mean", do_mean, "v", 1, COUNT(shapes)},
    {"pool", do_pool, "r", 1, 1},
    {"unpool", do_unpool, "g", 2, 1},
};

struct bench {
    const struct passes *sets[MOST_SETS]; /* [0] is what the others are measured against */
    int count;
    char *tensors[TENSORS]; /* (RING) bytes each */
    struct call call;
    size_t position; /* in the rings: goes on from call to call */
};

/* Full of bf16 numbers between -2 and 2. */
static void *numbers(size_t bytes)
{
    uint32_t state = 7;
    uint16_t *memory = pages(bytes);

    for (size_t i = 0; i < bytes / sizeof *memory; i++) {
        state = state * 1664525 + 1013904223;
        memory[i] = (uint16_t)(0x3f00 + (state >> 24) + (state >> 8 & 0x8000));
    }
    return memory;
}

static double time_set(struct bench *bench, const struct bench_pass *pass,
                       const struct passes *set)
{
    static const char letters[TENSORS] = "vgoar";
    double spent = 0;

    for (int i = 0; i < CHUNKS; i++) {
        double start;

        for (int t = 0; t < TENSORS; t++)
            bench->call.at[t] =
                bench->tensors[t] + (strchr(pass->near, letters[t]) ? 0 : bench->position);
        start = now();
        pass->run(set, &bench->call);
        spent += now() - start;
        bench->position += CHUNK / 4096 * 4096;
        if (bench->position + 2 * CHUNK > RING)
            bench->position = CHUNK / 4096 * 4096;
    }
    return spent;
}

static void measure(struct bench *bench, const struct bench_pass *pass, struct rows image,
                    int rounds)
{
    double times[MOST_SETS][MOST_ROUNDS], ratios[MOST_SETS][MOST_ROUNDS];
    long images = CHUNK / (image.count * image.channels * 2);
    double bytes;

    bench->call.rows = (struct rows){image.count * (images > 0 ? images : 1), image.channels};
    if (image.count * image.channels * 2 > CHUNK)
        bench->call.rows.count /= 2; /* half an image */
    bytes = 2.0 * (double)(bench->call.rows.count * image.channels * pass->tensors * CHUNKS);
    if (pass->run == do_pool || pass->run == do_unpool)
        bytes /= (double)images; /* one */
    for (int round = -1; round < rounds; round++)
        for (int i = 0; i < bench->count; i++) {
            double seconds = time_set(bench, pass, bench->sets[i]);

            if (round < 0)
                continue;
            times[i][round] = seconds;
            ratios[i][round] = times[0][round] / seconds;
        }
    for (int i = 0; i < bench->count; i++)
        printf("%-18s %4ld channels  %-22s ratio %.2f  %5.1f GB/s\n", pass->name, image.channels,
               bench->sets[i]->name, median(ratios[i], rounds),
               1e-9 * bytes / median(times[i], rounds));
    fflush(stdout);
}

static void find_sets(struct bench *bench)
{
    enum cpu_isa isa = cpu_probe();

    bench->sets[0] = passes_for(CPU_AVX512, DNN_BF16);
    bench->count = 1;
    for (int i = 0; passes_at(i) && bench->count < MOST_SETS; i++)
        if (passes_at(i)->type == DNN_BF16 && passes_at(i)->isa > CPU_AVX512 &&
            passes_at(i)->isa <= isa)
            bench->sets[bench->count++] = passes_at(i);
    if (isa < CPU_AVX512 || bench->count < 2)
        exit(1);
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 15;
    static struct bench bench;
    float *coefficients = calloc(4 * CHANNELS_MAX, sizeof *coefficients);

    if (rounds < 1 || rounds > MOST_ROUNDS || !coefficients)
        return 1;
    find_sets(&bench);
    for (int i = 0; i < 4 * CHANNELS_MAX; i++)
        coefficients[i] = (float)(i % 17 - 8) / 8;
    for (int t = 0; t < TENSORS; t++)
        bench.tensors[t] = (char *)numbers(RING + TENSORS * STAGGER) + t * STAGGER;
    bench.call.coefficients = coefficients;
    bench.call.sums = calloc(3 * CHANNELS_MAX, sizeof(double));
    bench.call.chosen = numbers((size_t)2 << 20);
    for (size_t p = 0; p < COUNT(passes); p++)
        for (size_t s = 0; s < passes[p].shapes; s++)
            if (argc < 3 || strcmp(argv[2], passes[p].name) == 0)
                measure(&bench, &passes[p], shapes[s], (int)rounds);
    return 0;
}
