/* The weight gradients of ResNet-50, each convolution alone on one thread, by every kind that
 * this machine has and by oneDNN. Build as bench/conv.c;
 *
 *     build/bench-wgrad [bf16 | f32 [images at a time; default: as many as make 1.6 MB]]
 *
 * A batch of 16 images goes through in chunks, so that chunks are not in cache when they are
 * read. The ways take turns, the figures are medians. Ours add to the weights, as they do in
 * training; oneDNN overwrites them with each chunk, and what adding would cost is not counted.
 * GFLOP/s count what the definition multiplies, padding with it. */
#include "engine/train/kernels/wgrad.h"
#include "bench/bench.h"
#include "common/cleanup.h"
#include "engine/train/onednn/dnn.h"
#include "engine/train/onednn/dnn_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 9
#define BATCH 16 /* images */
#define CHUNK 1600000
#define LIBRARY WGRAD_KINDS /* behind the kinds */

struct bench {
    const struct bench_layer *layer;
    struct wgrad_shape shape; /* of a chunk */
    enum cpu_isa isa;
    char *input, *gradient;
    float *weights;
    void *scratch;
    struct dnn_op *op;
};

/* The chunks that the engine would work on: a power of two, as batches are. */
static long chunk(const struct bench_layer *layer, enum dnn_type type)
{
    long out = layer->size / layer->stride, images = 1;
    long bytes = (long)dnn_type_size(type) *
                 (layer->size * layer->size * layer->in + out * out * layer->out);

    while (2 * images * bytes <= CHUNK && images < BATCH)
        images *= 2;
    return images;
}

static void work(const struct bench *b, int way, long image)
{
    const struct bench_layer *l = b->layer;
    long size = (long)dnn_type_size(b->shape.type), out = b->shape.out_size;
    struct wgrad_memory memory = {.input = b->input + image * l->size * l->size * l->in * size,
                                  .gradient = b->gradient + image * out * out * l->out * size,
                                  .weights = b->weights,
                                  .scratch = b->scratch,
                                  .accumulate = true};
    void *all[] = {b->input + image * l->size * l->size * l->in * size,
                   b->gradient + image * out * out * l->out * size, b->weights};

    if (way != LIBRARY)
        wgrad_run((enum wgrad_kind)way, &b->shape, &memory);
    else if (!dnn_op_run_on(b->op, 0, all, NULL))
        exit(1);
}

/* Median seconds of each way for an image; 0: it does not know this layer. */
static void measure(const struct bench *b, double ret_seconds[WGRAD_KINDS + 1])
{
    double times[WGRAD_KINDS + 1][ROUNDS] = {0};

    for (int round = 0; round < ROUNDS; round++)
        for (int way = WGRAD_PORTABLE + 1; way <= LIBRARY; way++) {
            double start = now();

            if (way != LIBRARY && !wgrad_supports((enum wgrad_kind)way, &b->shape, b->isa))
                continue;
            for (long i = 0; i + b->shape.images <= BATCH; i += b->shape.images)
                work(b, way, i);
            times[way][round] =
                (now() - start) / (double)(BATCH / b->shape.images * b->shape.images);
        }
    for (int way = 0; way <= LIBRARY; way++)
        ret_seconds[way] = median(times[way], ROUNDS);
}

static struct dnn_op *library(struct dnn *dnn, const struct wgrad_shape *s)
{
    const struct dnn_convolution chunk = {
        {s->images, s->in_channels, s->in_size, s->in_size, s->type, DNN_NHWC, NULL},
        {s->images, s->out_channels, s->out_size, s->out_size, s->type, DNN_NHWC, NULL},
        s->kernel,
        s->stride,
        s->kernel / 2};

    return dnn_convolution(dnn, DNN_BACKWARD_WEIGHTS, &chunk, NULL, NULL);
}

static void print(const struct bench *b, double total[WGRAD_KINDS + 1],
                  double flops_of[WGRAD_KINDS + 1])
{
    const struct bench_layer *l = b->layer;
    double out = (double)(b->shape.out_size * b->shape.out_size), seconds[WGRAD_KINDS + 1],
           flops = 2e-9 * out * (double)(l->in * l->out * l->kernel * l->kernel);

    measure(b, seconds);
    printf("%4ld -> %4ld %2ldx%-2ld kernel %ld stride %ld x%ld, %2ld images:", l->in, l->out,
           l->size, l->size, l->kernel, l->stride, l->count, b->shape.images);
    for (int way = 0; way <= LIBRARY; way++)
        if (seconds[way] > 0) {
            printf("  %s %6.3f ms an image, %4.0f GFLOP/s",
                   way == LIBRARY ? "oneDNN" : wgrad_kind_name((enum wgrad_kind)way),
                   1e3 * seconds[way], flops / seconds[way]);
            total[way] += (double)l->count * seconds[way];
            flops_of[way] += (double)l->count * flops;
        }
    printf("\n");
}

int main(int argc, char **argv)
{
    enum dnn_type type = argc > 1 && strcmp(argv[1], "f32") == 0 ? DNN_F32 : DNN_BF16;
    long asked = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    double total[WGRAD_KINDS + 1] = {0}, flops[WGRAD_KINDS + 1] = {0};
    struct bench bench = {.input = pages(64 << 20),
                          .gradient = pages(64 << 20),
                          .weights = pages(16 << 20),
                          .scratch = pages(64 << 20)};
    struct dnn *dnn = dnn_open(1, NULL);

    if (!dnn || !dnn_use_isa("auto", &bench.isa, NULL))
        return 1;
    memset(bench.input, 0x3c, 64 << 20);
    memset(bench.gradient, 0x3b, 64 << 20);
    for (size_t i = 0; i < COUNT(resnet50_layers); i++) {
        const struct bench_layer *l = &resnet50_layers[i];
        long images = asked > 0 && asked <= BATCH ? asked : chunk(l, type),
             out = (l->size + l->stride - 1) / l->stride;

        bench.layer = l;
        bench.shape = (struct wgrad_shape){type,  images, l->size,   out,      images * out * out,
                                           l->in, l->out, l->kernel, l->stride};
        bench.op = library(dnn, &bench.shape);
        if (!bench.op)
            return 1;
        print(&bench, total, flops);
        dnn_op_free(bench.op);
    }
    for (int way = 0; way <= LIBRARY; way++)
        if (total[way] > 0)
            printf("all: %s %.2f ms an image, %.0f GFLOP/s\n",
                   way == LIBRARY ? "oneDNN" : wgrad_kind_name((enum wgrad_kind)way),
                   1e3 * total[way], flops[way] / total[way]);
    dnn_close(dnn);
    return 0;
}
