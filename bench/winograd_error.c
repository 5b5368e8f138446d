/* The error of the f32 convolutions against f64, direct and Winograd's, in the 3x3 layers of
 * ResNet-50 with stride 1. Build as bench/conv.c, and run without arguments.
 *
 * The input is what a ReLU lets through of a normal distribution, weights are normal with the
 * variance that training begins with. rms: of the errors, as a part of the rms of the results;
 * most: the largest error, as a part of the same. A sample of pixels, and of weights, is
 * compared. The gradient of weights is for one image; "one by one" sums it in f32 as it is
 * defined. */
#include "common/cleanup.h"
#include "engine/train/kernels/conv/conv.h"
#include "engine/train/kernels/conv/conv_winograd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLE 61 /* every so many pixels of the result */

static double normal(void)
{
    double u = ((double)rand() + 1) / ((double)RAND_MAX + 2), v = (double)rand() / RAND_MAX;

    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static void *memory(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);

    if (!memory)
        exit(1);
    return memory;
}

static double wanted(const struct conv_shape *shape, const float *input, const float *weights,
                     long pixel, long n)
{
    long size = shape->in_size, k = shape->in_channels, y = pixel / size, x = pixel % size;
    double sum = 0;

    for (long at = 0; at < 9; at++) {
        long v = y + at / 3 - 1, u = x + at % 3 - 1;

        if (v >= 0 && v < size && u >= 0 && u < size)
            for (long c = 0; c < k; c++)
                sum +=
                    (double)input[(v * size + u) * k + c] * (double)weights[(n * k + c) * 9 + at];
    }
    return sum;
}

static void measure(const struct conv_shape *shape, const struct conv_kernel *kernel,
                    const float *input, const float *weights)
{
    long n = shape->out_channels, pixels = shape->in_size * shape->in_size;
    struct conv_weights from = {weights, {shape->in_channels * 9, 9, 3, 1}};
    float *result = memory((size_t)(pixels * n) * sizeof(float));
    struct conv_call call = {.images = 1,
                             .input = input,
                             .panels = memory(kernel->panels_size(shape)),
                             .scratch = memory(kernel->scratch_size(shape, 1)),
                             .end = {.kind = CONV_PLAIN, .result = result}};
    double squares = 0, errors = 0, most = 0;

    kernel->pack(shape, &from, 0, 1, (void *)call.panels);
    kernel->run(shape, &call);
    for (long i = 0; i < pixels * n; i += SAMPLE) {
        double want = wanted(shape, input, weights, i / n, i % n);
        double error = (double)result[i] - want;

        squares += want * want;
        errors += error * error;
        most = fabs(error) > most ? fabs(error) : most;
    }
    printf("  %s: rms %.1e, most %.1e", kernel->name, sqrt(errors / squares),
           most / sqrt(squares / ((double)(pixels * n) / SAMPLE)));
    free((void *)call.panels);
    free(call.scratch);
    free(result);
}

/* (f64, f32) of one weight. */
static void define_weight(const struct conv_shape *shape, const float *tensors[2],
                          const long at[4], double *ret_wide, float *ret_narrow)
{
    long size = shape->in_size, k = shape->in_channels;

    *ret_wide = *ret_narrow = 0;
    for (long p = 0; p < size * size; p++) {
        long y = p / size + at[2] - 1, x = p % size + at[3] - 1;

        if (y >= 0 && y < size && x >= 0 && x < size) {
            float input = tensors[0][(y * size + x) * k + at[1]],
                  gradient = tensors[1][p * shape->out_channels + at[0]];

            *ret_wide += (double)input * (double)gradient;
            *ret_narrow += input * gradient;
        }
    }
}

static void measure_gradient(const struct conv_shape *shape, const float *tensors[2],
                             const struct winograd_gradient *kernel)
{
    long in = shape->in_channels, count = in * shape->out_channels * 9;
    float *result = memory((size_t)count * sizeof(float)),
          *sums = memory(kernel->sums_size(shape));
    void *scratch = memory(kernel->scratch_size(shape));
    struct winograd_gradient_call call = {1, tensors[0], tensors[1], sums, true, scratch};
    const float *const copies[] = {sums};
    const struct winograd_gradient_sums all = {copies, 1};
    double squares = 0, errors = 0, narrow_errors = 0;

    kernel->add(shape, &call);
    kernel->finish(shape, &all, 0, 1,
                   &(struct winograd_gradient_result){result, {in * 9, 9, 3, 1}});
    for (long i = 0; i < count; i += SAMPLE) {
        long at[4] = {i / (in * 9), i / 9 % in, i / 3 % 3, i % 3};
        double wide;
        float narrow;

        define_weight(shape, tensors, at, &wide, &narrow);
        squares += wide * wide;
        errors += ((double)result[i] - wide) * ((double)result[i] - wide);
        narrow_errors += ((double)narrow - wide) * ((double)narrow - wide);
    }
    printf("  %s: rms %.1e, one by one %.1e", kernel->name, sqrt(errors / squares),
           sqrt(narrow_errors / squares));
    free(result);
    free(sums);
    free(scratch);
}

int main(void)
{
    static const long layers[][2] = {{56, 64}, {28, 128}, {14, 256}, {7, 512}};
    enum cpu_isa isa = cpu_probe();

    for (size_t i = 0; i < COUNT(layers); i++) {
        long size = layers[i][0], n = layers[i][1];
        struct conv_shape shape = {CONV_FORWARD, size, size, n, n, 3, 1};
        float *input = memory((size_t)(size * size * n) * sizeof(float));
        float *gradient = memory((size_t)(size * size * n) * sizeof(float));
        float *weights = memory((size_t)(n * n * 9) * sizeof(float));

        for (long j = 0; j < size * size * n; j++)
            input[j] = (float)fmax(0, normal());
        for (long j = 0; j < n * n * 9; j++)
            weights[j] = (float)(normal() * sqrt(2 / (double)(n * 9)));
        printf("%3ld channels, %ldx%ld:", n, size, size);
        measure(&shape, conv_kernel_for(isa, DNN_F32, &shape), input, weights);
        measure(&shape, conv_winograd_for(isa, DNN_F32, &shape), input, weights);
        for (long j = 0; j < size * size * n; j++)
            gradient[j] = (float)normal();
        measure_gradient(&shape, (const float *[]){input, gradient},
                         winograd_gradient_for(isa, DNN_F32, &shape));
        printf("\n");
        free(input);
        free(gradient);
        free(weights);
    }
    return 0;
}
