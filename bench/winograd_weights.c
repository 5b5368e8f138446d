/* The gradient of the weights of ResNet-50's 3x3 layers with stride 1, on one thread, by
 * Winograd's tiles and by oneDNN. Build as bench/conv.c; the arguments are the number of
 * rounds, and what is stored: f32 (the default) or bf16.
 *
 * A batch of 16 images goes through in chunks of about 1.6 MB. Ours adds the chunks up and then
 * makes the gradient; oneDNN overwrites it with each chunk, and what adding would cost is not
 * counted. The ways take turns, each is timed by what the thread has of the processor, and a
 * ratio is the median of the rounds': above 1 ours is faster. */
#include "bench/bench.h"
#include "common/cleanup.h"
#include "engine/train/kernels/conv/conv_winograd.h"
#include "engine/train/onednn/dnn.h"
#include "engine/train/onednn/dnn_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 16
#define CHUNK 1600000
#define MOST_ROUNDS 101

struct bench {
    enum dnn_type type;
    long size, channels, chunk, image_bytes;
    char *input, *gradient;
    float *sums, *weights;
    void *scratch;
    struct dnn_op *op;
};

static double library(const struct bench *bench)
{
    double start = now();

    for (long i = 0; i + bench->chunk <= BATCH; i += bench->chunk) {
        void *const all[] = {bench->input + i * bench->image_bytes,
                             bench->gradient + i * bench->image_bytes, bench->weights};

        if (!dnn_op_run_on(bench->op, 0, all, NULL))
            exit(1);
    }
    return now() - start;
}

static double ours(const struct bench *bench, const struct winograd_gradient *kernel)
{
    struct conv_shape shape = {
        CONV_FORWARD, bench->size, bench->size, bench->channels, bench->channels, 3, 1};
    const float *const copies[] = {bench->sums};
    const struct winograd_gradient_sums sums = {copies, 1};
    long c = bench->channels;
    double start = now();

    for (long i = 0; i + bench->chunk <= BATCH; i += bench->chunk)
        kernel->add(&shape, &(struct winograd_gradient_call){
                                bench->chunk, bench->input + i * bench->image_bytes,
                                bench->gradient + i * bench->image_bytes, bench->sums, i == 0,
                                bench->scratch});
    kernel->finish(&shape, &sums, 0, 1,
                   &(struct winograd_gradient_result){bench->weights, {c, 1, 3 * c * c, c * c}});
    return now() - start;
}

static void compare(const struct bench *bench, const struct winograd_gradient *kernel, int rounds)
{
    double ratios[MOST_ROUNDS], mine[MOST_ROUNDS];
    double flops =
        18e-9 * (double)(bench->size * bench->size * bench->channels * bench->channels * BATCH);

    library(bench);
    ours(bench, kernel);
    for (int i = 0; i < rounds; i++) {
        mine[i] = ours(bench, kernel);
        ratios[i] = library(bench) / mine[i];
    }
    qsort(ratios, (size_t)rounds, sizeof *ratios, ascending);
    qsort(mine, (size_t)rounds, sizeof *mine, ascending);
    printf("%3ld channels, %ldx%ld: ratio %.2f; %.0f GFLOP/s of the definition's; %s\n",
           bench->channels, bench->size, bench->size, ratios[rounds / 2],
           flops / mine[rounds / 2], dnn_op_name(bench->op));
}

int main(int argc, char **argv)
{
    static const long layers[][2] = {{56, 64}, {28, 128}, {14, 256}, {7, 512}};
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 9;
    enum dnn_type type = argc > 2 && strcmp(argv[2], "bf16") == 0 ? DNN_BF16 : DNN_F32;
    struct dnn *dnn = dnn_open(1, NULL);
    enum cpu_isa isa;

    if (!dnn || !dnn_use_isa("auto", &isa, NULL) || rounds < 1 || rounds > MOST_ROUNDS)
        return 1;
    for (size_t i = 0; i < COUNT(layers); i++) {
        long size = layers[i][0], c = layers[i][1];
        struct conv_shape shape = {CONV_FORWARD, size, size, c, c, 3, 1};
        const struct winograd_gradient *kernel = winograd_gradient_for(isa, type, &shape);
        struct bench bench = {.type = type, .size = size, .channels = c, .chunk = 1};

        bench.image_bytes = size * size * c * (long)dnn_type_size(type);
        while (bench.chunk < BATCH && 4 * bench.chunk * bench.image_bytes <= CHUNK)
            bench.chunk *= 2;
        bench.input = pages((size_t)(bench.image_bytes * BATCH));
        bench.gradient = pages((size_t)(bench.image_bytes * BATCH));
        bench.sums = pages(kernel->sums_size(&shape));
        bench.weights = pages((size_t)(c * c * 9) * sizeof(float));
        bench.scratch = pages(kernel->scratch_size(&shape));
        bench.op = dnn_convolution(
            dnn, DNN_BACKWARD_WEIGHTS,
            &(struct dnn_convolution){{bench.chunk, c, size, size, type, DNN_NHWC, NULL},
                                      {bench.chunk, c, size, size, type, DNN_NHWC, NULL},
                                      3,
                                      1,
                                      1},
            NULL, NULL);
        if (!bench.op)
            return 1;
        compare(&bench, kernel, (int)rounds);
    }
    return 0;
}
