/* The convolutions of ResNet-50, each alone on one thread, by our kernels and by oneDNN with the
 * passes that our kernels do on the way: forward with the statistics of the result, backward to
 * the data with the mask of the ReLU, the other gradient and the sums of a batch-norm.
 *
 *     cmake --build build/dev --target pennyworth-worker
 *     cc -std=c17 -D_GNU_SOURCE -O2 -I. bench/conv.c -o build/bench-conv -Wl,--start-group
 *         $(find build/dev/common build/dev/engine -name '*.a') -Wl,--end-group \
 *         -ldnnl -lgomp -ljansson -lm
 *     OMP_NUM_THREADS=1 build/bench-conv [f32 | bf16 | winograd | bf16-winograd] \
 *         [rounds [the layer's place in the table]]
 *
 * A batch goes through in chunks of about 1.6 MB, as the depth-first plan has them, so that
 * chunks are not in cache when they are read. The ways take turns, each is timed by what the
 * thread has of the processor, and a ratio is the median of the rounds': above 1 ours is faster.
 */
#include "engine/train/kernels/conv/conv.h"
#include "bench/bench.h"
#include "common/cleanup.h"
#include "engine/train/kernels/conv/conv_winograd.h"
#include "engine/train/kernels/passes.h"
#include "engine/train/onednn/dnn_make.h"

#include <stdio.h>
#include <stdlib.h>

#define BATCH 16
#define CHUNK 1600000
#define MOST_ROUNDS 101

/* The two ways, with the work behind the convolution and without. */
enum way { OURS, LIBRARY, OURS_PLAIN, LIBRARY_PLAIN, WAYS };

struct bench {
    struct dnn *dnn;
    enum dnn_type type;
    bool winograd; /* its kernels, not the direct ones */
    const struct passes *passes;
    char *tensors[5]; /* input, result, values, active, add */
    void *panels, *weights, *scratch;
    double *sums;
    float *coefficients;
};

/* One layer in one direction. */
struct work {
    const struct bench_layer *layer;
    struct conv_shape shape;
    const struct conv_kernel *kernel;
    struct dnn_op *op;
    long chunk;             /* images */
    long in_bytes, n_bytes; /* of an image that is read, and of one that is written */
    struct rows rows;       /* of a chunk of the result */
};

static bool is_kept(const struct work *work)
{
    return work->layer->in >= 256 && work->layer->kernel == 1;
}

static void run_ours(const struct bench *bench, const struct work *work, long image, bool plain)
{
    char *const *t = bench->tensors;
    long at = image * work->n_bytes, c = work->rows.channels;
    enum conv_end_kind kind = CONV_SUMS;
    struct conv_call call = {
        .images = work->chunk,
        .input = t[0] + image * work->in_bytes,
        .panels = bench->panels,
        .scratch = bench->scratch,
    };

    if (work->shape.direction == CONV_BACKWARD_DATA)
        kind = is_kept(work) ? CONV_KEPT : CONV_INNER;
    call.end = (struct conv_end){plain ? CONV_PLAIN : kind,
                                 t[1] + at,
                                 bench->sums,
                                 t[2] + at,
                                 t[3] + at,
                                 t[4] + at,
                                 NULL,
                                 bench->coefficients,
                                 bench->coefficients + c,
                                 NULL};
    work->kernel->run(&work->shape, &call);
}

static void run_library(const struct bench *bench, const struct work *work, long image,
                        bool plain)
{
    char *const *t = bench->tensors;
    long at = image * work->n_bytes;
    void *memory[] = {t[0] + image * work->in_bytes, bench->weights, t[1] + at};
    struct pass_mask mask = {.gradient = t[1] + at,
                             .active = t[3] + at,
                             .result = t[1] + at,
                             .values = t[2] + at,
                             .mean = bench->coefficients};

    if (!dnn_op_run_on(work->op, 0, memory, NULL))
        exit(1);
    if (plain)
        return;
    if (is_kept(work))
        mask.add = t[4] + at;
    if (work->shape.direction == CONV_FORWARD)
        bench->passes->statistics(t[1] + at, work->rows, bench->sums);
    else
        bench->passes->mask(&mask, work->rows, bench->sums);
}

static double time_way(const struct bench *bench, const struct work *work, enum way way)
{
    double start = now();

    for (long image = 0; image + work->chunk <= BATCH; image += work->chunk)
        if (way == OURS || way == OURS_PLAIN)
            run_ours(bench, work, image, way == OURS_PLAIN);
        else
            run_library(bench, work, image, way == LIBRARY_PLAIN);
    return now() - start;
}

static struct work describe(const struct bench *bench, const struct bench_layer *layer,
                            enum conv_direction direction, enum cpu_isa isa)
{
    long out = (layer->size + layer->stride - 1) / layer->stride;
    bool forward = direction == CONV_FORWARD;
    long each = (long)dnn_type_size(bench->type);
    long in_bytes = layer->size * layer->size * layer->in * each,
         out_bytes = out * out * layer->out * each;
    struct work work = {
        .layer = layer,
        .shape = {direction, layer->size, out, layer->in, layer->out, layer->kernel,
                  layer->stride},
        .chunk = 1,
        .in_bytes = forward ? in_bytes : out_bytes,
        .n_bytes = forward ? out_bytes : in_bytes,
    };

    while (2 * work.chunk * (in_bytes + out_bytes) <= CHUNK && work.chunk < BATCH)
        work.chunk *= 2;
    work.rows.channels = forward ? layer->out : layer->in;
    work.rows.count = work.chunk * work.n_bytes / (work.rows.channels * each);
    work.kernel = bench->winograd ? conv_winograd_for(isa, bench->type, &work.shape)
                                  : conv_kernel_for(isa, bench->type, &work.shape);
    work.op = dnn_convolution(
        bench->dnn, forward ? DNN_FORWARD : DNN_BACKWARD_DATA,
        &(struct dnn_convolution){
            {work.chunk, layer->in, layer->size, layer->size, bench->type, DNN_NHWC, NULL},
            {work.chunk, layer->out, out, out, bench->type, DNN_NHWC, NULL},
            layer->kernel,
            layer->stride,
            (layer->kernel - 1) / 2},
        NULL, NULL);
    return work;
}

static void measure(const struct bench *bench, const struct work *work, int rounds,
                    double ret_seconds[WAYS], double ret_ratios[2])
{
    double times[WAYS][MOST_ROUNDS], ratios[2][MOST_ROUNDS];

    for (int way = 0; way < WAYS; way++)
        time_way(bench, work, (enum way)way);
    for (int round = 0; round < rounds; round++) {
        for (int way = 0; way < WAYS; way++)
            times[way][round] = time_way(bench, work, (enum way)way);
        for (int i = 0; i < 2; i++)
            ratios[i][round] = times[2 * i + 1][round] / times[2 * i][round];
    }
    for (int way = 0; way < WAYS; way++)
        ret_seconds[way] = median(times[way], rounds);
    for (int i = 0; i < 2; i++)
        ret_ratios[i] = median(ratios[i], rounds);
}

static void compare(const struct bench *bench, const struct bench_layer *layer, int rounds,
                    enum cpu_isa isa, double totals[2][WAYS])
{
    for (int direction = 0; direction < (layer->in == 3 ? 1 : 2); direction++) {
        struct work work = describe(bench, layer, (enum conv_direction)direction, isa);
        double seconds[WAYS], ratios[2];
        double flops = 2e-9 * (double)(work.shape.out_size * work.shape.out_size * BATCH) *
                       (double)(layer->in * layer->out * layer->kernel * layer->kernel);

        if (!work.kernel || !work.op) {
            dnn_op_free(work.op);
            continue;
        }
        measure(bench, &work, rounds, seconds, ratios);
        printf("%s %4ld -> %4ld %3ldx%-3ld kernel %ld stride %ld x%ld: ratio %.2f, plain %.2f; "
               "GFLOP/s %4.0f, library %4.0f %s\n",
               direction ? "backward" : "forward ", layer->in, layer->out, layer->size,
               layer->size, layer->kernel, layer->stride, layer->count, ratios[0], ratios[1],
               flops / seconds[OURS_PLAIN], flops / seconds[LIBRARY_PLAIN], dnn_op_name(work.op));
        fflush(stdout);
        for (int way = 0; way < WAYS; way++)
            totals[direction][way] += (double)layer->count * seconds[way];
        dnn_op_free(work.op);
    }
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 && !strtol(argv[1], NULL, 10) ? argv[1] : "";
    int words = *way != 0;
    long rounds = argc > 1 + words ? strtol(argv[1 + words], NULL, 10) : 9;
    double totals[2][WAYS] = {0};
    struct bench bench = {.type = strncmp(way, "bf16", 4) == 0 ? DNN_BF16 : DNN_F32};
    long only = argc > 2 + words ? strtol(argv[2 + words], NULL, 10) : -1;
    enum cpu_isa isa;

    bench.dnn = dnn_open(1, NULL);
    if (!bench.dnn || !dnn_use_isa("auto", &isa, NULL) || rounds < 1 || rounds > MOST_ROUNDS)
        return 1;
    bench.winograd = strstr(way, "winograd") != NULL;
    bench.passes = passes_for(isa, bench.type);
    for (int i = 0; i < 5; i++)
        bench.tensors[i] =
            (char *)pages((size_t)56 * 56 * 256 * BATCH * 4 + (size_t)(i + 1) * 4160) + i * 4160;
    bench.panels = pages(48 << 20);
    bench.weights = pages(16 << 20);
    bench.scratch = pages(32 << 20);
    bench.sums = pages(3 * CHANNELS_MAX * sizeof(double));
    bench.coefficients = pages(4 * CHANNELS_MAX * sizeof(float));
    for (size_t i = 0; i < COUNT(resnet50_layers); i++)
        if (only < 0 || (size_t)only == i)
            compare(&bench, &resnet50_layers[i], (int)rounds, isa, totals);
    for (int direction = 0; direction < 2; direction++)
        printf("all %s: ratio %.3f, plain %.3f\n", direction ? "backward" : "forward",
               totals[direction][LIBRARY] / totals[direction][OURS],
               totals[direction][LIBRARY_PLAIN] / totals[direction][OURS_PLAIN]);
    dnn_close(bench.dnn);
    return 0;
}
