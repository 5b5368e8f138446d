/* One convolution with its reference: what a test asks of any kernel of conv.h. Sums of products
 * are compared with f64, up to an error that is given as a part of the sum of their magnitudes.
 * The sums of an end are compared with sums of the stored numbers. */
#pragma once

#include "engine/train/kernels/conv/conv.h"
#include "engine/train/kernels/conv/conv_rows.h"
#include "tests/engine/train/kernels/numbers.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* How often a number is rounded, at most, before it is part of a sum of f64: it is multiplied and
 * its mean subtracted, and a kernel adds up to CONV_GROUP of them in f32. */
#define TRIAL_ROUNDINGS (CONV_GROUP + 2)

/* Every so many result pixels are compared. */
struct trial {
    const struct conv_kernel *kernel;
    struct conv_shape shape;
    long images, every;
    enum conv_end_kind kind;
    double error;
};

struct trial_memory {
    void *input, *values, *active, *add, *other_values, *result, *panels, *scratch;
    float *weights, *affine, *mean, *other_mean;
    double *sums;
    struct conv_weights packed; /* how the weights lie */
};

static inline uint16_t trial_narrow(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static inline double trial_at(const struct trial *trial, const void *stored, long at)
{
    return number_at(stored, trial->kernel->type, at);
}

/* Random numbers; the memory ends behind the last. */
static inline void *trial_stored(const struct trial *trial, long count)
{
    size_t each = dnn_type_size(trial->kernel->type);
    char *memory = xmalloc((size_t)count * each);

    for (long i = 0; i < count; i++) {
        float number = noise();
        uint16_t narrow = trial_narrow(number);

        memcpy(memory + (size_t)i * each, each == 2 ? (void *)&narrow : (void *)&number, each);
    }
    return memory;
}

/* Half of them are 0, as behind a ReLU. */
static inline void *trial_active(const struct trial *trial, long count)
{
    size_t each = dnn_type_size(trial->kernel->type);
    char *memory = trial_stored(trial, count);

    for (long i = 0; i < count; i++)
        if (draw(2))
            memset(memory + (size_t)i * each, 0, each);
    return memory;
}

static inline long trial_k(const struct trial *trial)
{
    return trial->shape.direction == CONV_FORWARD ? trial->shape.in_channels
                                                  : trial->shape.out_channels;
}

static inline long trial_n(const struct trial *trial)
{
    return trial->shape.direction == CONV_FORWARD ? trial->shape.out_channels
                                                  : trial->shape.in_channels;
}

static inline long trial_source_size(const struct trial *trial)
{
    return trial->shape.direction == CONV_FORWARD ? trial->shape.in_size : trial->shape.out_size;
}

static inline long trial_result_size(const struct trial *trial)
{
    return trial->shape.direction == CONV_FORWARD ? trial->shape.out_size : trial->shape.in_size;
}

/* At 64 bytes or not: kernels may store whole lines past the caches. */
static inline void *trial_result(const struct trial *trial, long count)
{
    size_t bytes = (size_t)count * dnn_type_size(trial->kernel->type);
    void *memory;

    if (draw(2))
        return trial_stored(trial, count);
    if (posix_memalign(&memory, 64, bytes) != 0)
        abort();
    return memset(memory, 0x7f, bytes);
}

static inline struct trial_memory trial_memory_new(const struct trial *trial)
{
    const struct conv_shape *s = &trial->shape;
    long n = trial_n(trial), taps = s->kernel * s->kernel, in = s->in_channels;
    long sizes[2] = {trial_source_size(trial), trial_result_size(trial)};
    long pixels = trial->images * sizes[1] * sizes[1];
    struct trial_memory memory = {
        .input = trial_stored(trial, trial->images * sizes[0] * sizes[0] * trial_k(trial)),
        .values = trial_stored(trial, pixels * n),
        .active = trial_active(trial, pixels * n),
        .add = trial_stored(trial, pixels * n),
        .other_values = trial_stored(trial, pixels * n),
        .result = trial_result(trial, pixels * n),
        .weights = numbers(in * s->out_channels * taps),
        .affine = numbers(2 * n),
        .mean = numbers(n),
        .other_mean = numbers(n),
        .sums = xcalloc((size_t)(3 * n), sizeof(double)),
        .panels = spoiled(trial->kernel->panels_size(s)),
        .scratch = spoiled(trial->kernel->scratch_size(s, trial->images)),
    };
    /* OIHW, or as wgrad.h writes them. */
    struct conv_weights layouts[3] = {
        {memory.weights, {in * taps, taps, s->kernel, 1}},
        {memory.weights, {in, 1, in * s->out_channels * s->kernel, in * s->out_channels}},
        {memory.weights,
         {1, s->out_channels, in * s->out_channels * s->kernel, in * s->out_channels}}};

    memory.packed = layouts[draw(3)];
    if (trial->kernel->type == DNN_BF16)
        for (long i = 0; i < in * s->out_channels * taps; i++)
            memory.weights[i] = widen(trial_narrow(memory.weights[i]));
    return memory;
}

static inline void trial_memory_free(struct trial_memory *memory)
{
    void *all[] = {memory->input,   memory->values, memory->active,  memory->add,
                   memory->result,  memory->panels, memory->scratch, memory->other_values,
                   memory->weights, memory->affine, memory->mean,    memory->other_mean,
                   memory->sums};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* One product of the definition: adds it where output pixel y, x sees input pixel iy, ix. */
static inline void trial_tap(const struct trial *trial, const struct trial_memory *memory,
                             const long at[4], long source, double ret_sums[2])
{
    const long *strides = memory->packed.strides;
    bool forward = trial->shape.direction == CONV_FORWARD;
    long k = trial_k(trial), n = at[3];
    const float *weights =
        memory->weights + at[1] * strides[2] + at[2] * strides[3] + n * strides[forward ? 0 : 1];

    for (long c = 0; c < k; c++) {
        double product = trial_at(trial, memory->input, source * k + c) *
                         (double)weights[c * strides[forward ? 1 : 0]];

        ret_sums[0] += product;
        ret_sums[1] += fabs(product);
    }
}

/* The convolution and its sum of magnitudes, for result channel n of a result pixel. */
static inline void trial_wanted(const struct trial *trial, const struct trial_memory *memory,
                                long pixel, long n, double ret_sums[2])
{
    const struct conv_shape *s = &trial->shape;
    long to = trial_result_size(trial), from = trial_source_size(trial);
    long image = pixel / (to * to), y = pixel / to % to, x = pixel % to;
    long padding = (s->kernel - 1 - (s->stride == 1 ? s->in_size - s->out_size : 0)) / 2;

    ret_sums[0] = ret_sums[1] = 0;
    for (long h = 0; h < s->kernel; h++)
        for (long w = 0; w < s->kernel; w++) {
            long v = y * s->stride + h - padding, u = x * s->stride + w - padding;

            if (s->direction == CONV_BACKWARD_DATA) {
                v = y + padding - h;
                u = x + padding - w;
                if (v % s->stride != 0 || u % s->stride != 0)
                    continue;
                v /= s->stride;
                u /= s->stride;
            }
            if (v >= 0 && v < from && u >= 0 && u < from)
                trial_tap(trial, memory, (const long[4]){0, h, w, n},
                          (image * from + v) * from + u, ret_sums);
        }
}

/* What the end makes of it; false where it must be 0. */
static inline bool trial_keeps(const struct trial *trial, const struct trial_memory *memory,
                               long at, long n)
{
    if (trial->kind == CONV_INNER) {
        float product = (float)trial_at(trial, memory->values, at) * memory->affine[n];

        return product + memory->affine[trial_n(trial) + n] > 0;
    }
    return trial->kind < CONV_KEPT || trial_at(trial, memory->active, at) > 0;
}

static inline void trial_check_number(const struct trial *trial,
                                      const struct trial_memory *memory, long pixel, long n)
{
    long at = pixel * trial_n(trial) + n;
    double got = trial_at(trial, memory->result, at), wanted[2];

    if (!trial_keeps(trial, memory, at, n)) {
        EXPECT(got == 0);
        return;
    }
    trial_wanted(trial, memory, pixel, n, wanted);
    if (trial->kind >= CONV_KEPT)
        wanted[0] += trial_at(trial, memory->add, at);
    wanted[1] = trial->error * (wanted[1] + 1);
    if (trial->kernel->type == DNN_BF16)
        wanted[1] += fabs(wanted[0]) / 256;
    EXPECT_NEAR(got, wanted[0], wanted[1]);
}

/* The sums of one channel, from what was stored: in f64. */
static inline void trial_check_sums(const struct trial *trial, const struct trial_memory *memory,
                                    long pixels, long n)
{
    double wanted[3] = {0}, magnitude[3] = {0};
    long channels = trial_n(trial);

    for (long p = 0; p < pixels; p++) {
        long at = p * channels + n;
        double result = trial_at(trial, memory->result, at);
        double values = trial_at(trial, memory->values, at) - (double)memory->mean[n];
        double other = trial_at(trial, memory->other_values, at) - (double)memory->other_mean[n];
        double terms[3] = {result, result * (trial->kind == CONV_SUMS ? result : values),
                           result * other};

        for (int i = 0; i < 3; i++) {
            wanted[i] += terms[i];
            magnitude[i] += fabs(terms[i]);
        }
    }
    for (int i = 0; i < (trial->kind == CONV_OTHER ? 3 : trial->kind == CONV_PLAIN ? 0 : 2); i++)
        EXPECT_NEAR(memory->sums[i * channels + n], wanted[i] + 1,
                    TRIAL_ROUNDINGS * 0x1p-24 * (magnitude[i] + 1));
}

static inline void trial_run(const struct trial *trial)
{
    struct trial_memory memory = trial_memory_new(trial);
    long n = trial_n(trial), size = trial_result_size(trial);
    long pixels = trial->images * size * size, failures = test_failures;
    struct conv_call call = {
        .images = trial->images,
        .input = memory.input,
        .panels = memory.panels,
        .scratch = memory.scratch,
        .end = {trial->kind, memory.result, memory.sums, memory.values, memory.active, memory.add,
                memory.other_values, memory.affine, memory.mean, memory.other_mean},
        .past_cache = draw(2),
    };

    for (long i = 0; i < 3 * n; i++)
        memory.sums[i] = 1; /* sums are added to what is there */
    for (int i = 2; i >= 0; i--)
        trial->kernel->pack(&trial->shape, &memory.packed, i, 3, memory.panels);
    trial->kernel->run(&trial->shape, &call);
    for (long i = draw((uint32_t)trial->every); i < pixels * n && failures == test_failures;
         i += trial->every)
        trial_check_number(trial, &memory, i / n, i % n);
    for (long c = 0; c < n && failures == test_failures; c += trial->every % 7 + 1)
        trial_check_sums(trial, &memory, pixels, c);
    if (failures != test_failures)
        fprintf(stderr, "    %s, %s, %ld -> %ld, kernel %ld, stride %ld, size %ld, end %d\n",
                trial->kernel->name, trial->shape.direction ? "backward" : "forward",
                trial->shape.in_channels, trial->shape.out_channels, trial->shape.kernel,
                trial->shape.stride, trial->shape.in_size, (int)trial->kind);
    trial_memory_free(&memory);
}

/* Each of these shapes with each end, forward and back; all else is as in `like`. */
static inline void trial_shapes(const struct trial *like, const struct conv_shape *shapes,
                                size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int kind = 0; kind < CONV_END_KINDS; kind++)
            for (int direction = 0; direction < 2; direction++) {
                struct trial trial = *like;

                trial.shape = shapes[i];
                trial.shape.direction = (enum conv_direction)direction;
                trial.kind = (enum conv_end_kind)kind;
                EXPECT(conv_supports(trial.kernel, &trial.shape));
                trial_run(&trial);
            }
}
