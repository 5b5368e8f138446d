/* The weight gradients of ResNet-50, each convolution alone on one thread, by every kind that
 * this machine has. From the root of the tree:
 *
 *     cc -std=c17 -D_GNU_SOURCE -O3 -I. tests/bench/wgrad.c engine/machine/cpu.c \
 *         engine/train/kernels/wgrad*.c
 *     ./a.out [images at a time; default: as many as make 1.6 MB]
 *
 * Kinds take turns, the figures are medians, and the weights are added to, as they are in
 * training. GFLOP/s count what the definition multiplies, padding with it. */
#include "engine/train/kernels/wgrad.h"
#include "common/cleanup.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define ROUNDS 15
#define CHUNK 1600000
#define MOST 16 /* images */

struct layer {
    long in, out, size, kernel, stride, count; /* size: of the input */
};

/* A 1x1 with stride 2 is given every second pixel. */
static const struct layer layers[] = {
    {3, 64, 224, 7, 2, 1},    {64, 64, 56, 1, 1, 1},    {64, 64, 56, 3, 1, 3},
    {64, 256, 56, 1, 1, 4},   {256, 64, 56, 1, 1, 2},   {256, 128, 56, 1, 1, 1},
    {128, 128, 56, 3, 2, 1},  {128, 512, 28, 1, 1, 4},  {256, 512, 28, 1, 1, 1},
    {512, 128, 28, 1, 1, 3},  {128, 128, 28, 3, 1, 3},  {512, 256, 28, 1, 1, 1},
    {256, 256, 28, 3, 2, 1},  {256, 1024, 14, 1, 1, 6}, {512, 1024, 14, 1, 1, 1},
    {1024, 256, 14, 1, 1, 5}, {256, 256, 14, 3, 1, 5},  {1024, 512, 14, 1, 1, 1},
    {512, 512, 14, 3, 2, 1},  {512, 2048, 7, 1, 1, 3},  {1024, 2048, 7, 1, 1, 1},
    {2048, 512, 7, 1, 1, 2},  {512, 512, 7, 3, 1, 2},
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int ascending(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Pages of 2 MB, as the engine's arena asks for. */
static void *pages(size_t bytes)
{
    void *memory;

    bytes = (bytes + (2 << 20)) & ~(size_t)((2 << 20) - 1);
    if (posix_memalign(&memory, 2 << 20, bytes) != 0)
        exit(1);
    madvise(memory, bytes, MADV_HUGEPAGE);
    memset(memory, 0, bytes);
    return memory;
}

/* The chunks that the engine would work on: a power of two, as batches are. */
static long chunk(const struct layer *layer)
{
    long out = layer->size / layer->stride, images = 1;
    long bytes = 2 * (layer->size * layer->size * layer->in + out * out * layer->out);

    while (2 * images * bytes <= CHUNK)
        images *= 2;
    return images;
}

/* Median seconds for each kind. */
static void measure(const struct wgrad_shape *shape, struct wgrad_memory memory, enum cpu_isa isa,
                    double ret_seconds[WGRAD_KINDS])
{
    double times[WGRAD_KINDS][ROUNDS] = {0};

    for (int round = 0; round < ROUNDS; round++)
        for (int kind = WGRAD_PORTABLE + 1; kind < WGRAD_KINDS; kind++)
            if (wgrad_supports((enum wgrad_kind)kind, shape, isa)) {
                double start = now();

                wgrad_run((enum wgrad_kind)kind, shape, &memory);
                times[kind][round] = now() - start;
            }
    for (int kind = 0; kind < WGRAD_KINDS; kind++) {
        qsort(times[kind], ROUNDS, sizeof times[kind][0], ascending);
        ret_seconds[kind] = times[kind][ROUNDS / 2];
    }
}

int main(int argc, char **argv)
{
    long asked = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    enum cpu_isa isa = cpu_probe();
    double total[WGRAD_KINDS] = {0}, work[WGRAD_KINDS] = {0};
    uint16_t *input = pages(64 << 20), *gradient = pages(64 << 20);
    struct wgrad_memory memory = {.input = input,
                                  .gradient = gradient,
                                  .weights = pages(64 << 20),
                                  .scratch = pages(64 << 20),
                                  .accumulate = true};

    for (size_t i = 0; i < (32 << 20); i++) {
        input[i] = (uint16_t)(0x3f80 + i % 61);
        gradient[i] = (uint16_t)(0xbf80 + i % 67);
    }
    for (size_t i = 0; i < COUNT(layers); i++) {
        const struct layer *l = &layers[i];
        long images = asked > 0 && asked <= MOST ? asked : chunk(l),
             out = (l->size + l->stride - 1) / l->stride;
        struct wgrad_shape shape = {images, l->size, out,       images * out * out,
                                    l->in,  l->out,  l->kernel, l->stride};
        double seconds[WGRAD_KINDS], flops = 2e-9 * (double)(shape.pixels * l->in * l->out) *
                                             (double)(l->kernel * l->kernel);

        measure(&shape, memory, isa, seconds);
        printf("%4ld -> %4ld %2ldx%-2ld kernel %ld stride %ld x%ld, %2ld images:", l->in, l->out,
               l->size, l->size, l->kernel, l->stride, l->count, images);
        for (int kind = 0; kind < WGRAD_KINDS; kind++)
            if (seconds[kind] > 0) {
                printf("  %s %6.3f ms an image, %4.0f GFLOP/s",
                       wgrad_kind_name((enum wgrad_kind)kind),
                       1e3 * seconds[kind] / (double)images, flops / seconds[kind]);
                total[kind] += (double)l->count * seconds[kind] / (double)images;
                work[kind] += (double)l->count * flops / (double)images;
            }
        printf("\n");
    }
    for (int kind = 0; kind < WGRAD_KINDS; kind++)
        if (total[kind] > 0)
            printf("all: %s %.2f ms an image, %.0f GFLOP/s\n",
                   wgrad_kind_name((enum wgrad_kind)kind), 1e3 * total[kind],
                   work[kind] / total[kind]);
    return 0;
}
