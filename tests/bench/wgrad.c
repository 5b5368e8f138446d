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
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 15
#define CHUNK 1600000
#define MOST 16 /* images */

/* The chunks that the engine would work on: a power of two, as batches are. */
static long chunk(const struct bench_layer *layer)
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
    for (size_t i = 0; i < COUNT(resnet50_layers); i++) {
        const struct bench_layer *l = &resnet50_layers[i];
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
