/* The weight gradient of one convolution by all kinds of wgrad.h that this machine can run, and
 * by the tile code on emulated tiles, each against the definition in f64. */
#pragma once

#include "engine/train/kernels/wgrad.h"

#include "common/cleanup.h"
#include "tests/engine/train/kernels/numbers.h"

#include <math.h>
#include <stdlib.h>

/* The tile code a second time, on emulated tiles. */
#define WGRAD_EMULATE_TILES
#define wgrad_amx_run emulated_amx_run
#define wgrad_amx_scratch emulated_amx_scratch
#include "engine/train/kernels/wgrad_amx.c"

static enum cpu_isa isa;

struct candidate {
    const char *name;
    enum cpu_isa needs;
    enum wgrad_kind kind;
    enum dnn_type type; /* the portable one takes both */
    bool emulated;
};

static inline bool can_run(const struct candidate *candidate, const struct wgrad_shape *shape)
{
    bool stem = candidate->kind == WGRAD_PORTABLE || candidate->kind == WGRAD_AMX;
    bool type = candidate->kind == WGRAD_PORTABLE || candidate->type == shape->type;

    return type && (stem || shape->kernel < 7) && isa >= candidate->needs;
}

static const struct candidate candidates[] = {
    {"portable", CPU_BASE, WGRAD_PORTABLE, DNN_F32, false},
    {"avx512_bf16", CPU_AVX512_BF16, WGRAD_AVX512_BF16, DNN_BF16, false},
    {"amx, emulated", CPU_AVX512, WGRAD_AMX, DNN_BF16, true},
    {"amx", CPU_AMX, WGRAD_AMX, DNN_BF16, false},
    {"avx2_f32", CPU_AVX2, WGRAD_AVX2_F32, DNN_F32, false},
    {"avx512_f32", CPU_AVX512, WGRAD_AVX512_F32, DNN_F32, false},
};

/* Of the sign and exponents asked for, with a random mantissa. */
static inline uint16_t draw_bf16(uint32_t exponent, uint32_t range)
{
    return (uint16_t)(draw(2) << 15 | (exponent + draw(range)) << 7 | draw(128));
}

/* Writes number `index`, of the sign and exponents asked for, with a random mantissa. */
static inline void draw_number(void *values, enum dnn_type type, long index, uint32_t exponent)
{
    uint32_t bits = (uint32_t)draw_bf16(exponent, 4) << 16;

    if (type == DNN_BF16) {
        ((uint16_t *)values)[index] = (uint16_t)(bits >> 16);
        return;
    }
    bits |= draw(1 << 16);
    memcpy((float *)values + index, &bits, sizeof bits);
}

/* Tensors end where their memory ends, and begin on an odd multiple of a number's bytes, so that
 * the address sanitizer sees a read beyond them. */
struct tensors {
    void *input_memory, *gradient_memory, *input, *gradient;
    long inputs, gradients, weights;
    float *result, *before;
    double *wanted, *magnitude;
};

static inline long input_pixels(const struct wgrad_shape *shape)
{
    return shape->kernel == 1 ? shape->pixels : shape->images * shape->in_size * shape->in_size;
}

static inline long output_pixels(const struct wgrad_shape *shape)
{
    return shape->kernel == 1 ? shape->pixels : shape->images * shape->out_size * shape->out_size;
}

static inline struct tensors tensors_new(const struct wgrad_shape *shape, uint32_t exponent)
{
    size_t size = shape->type == DNN_BF16 ? sizeof(uint16_t) : sizeof(float);
    struct tensors t = {
        .inputs = input_pixels(shape) * shape->in_channels,
        .gradients = output_pixels(shape) * shape->out_channels,
        .weights = shape->in_channels * shape->out_channels * shape->kernel * shape->kernel,
    };

    t.input_memory = xmalloc((size_t)(t.inputs + 1) * size);
    t.gradient_memory = xmalloc((size_t)(t.gradients + 1) * size);
    t.input = (char *)t.input_memory + size;
    t.gradient = (char *)t.gradient_memory + size;
    t.result = xcalloc((size_t)t.weights, sizeof *t.result);
    t.before = xcalloc((size_t)t.weights, sizeof *t.before);
    t.wanted = xcalloc((size_t)t.weights, sizeof *t.wanted);
    t.magnitude = xcalloc((size_t)t.weights, sizeof *t.magnitude);
    for (long i = 0; i < t.inputs; i++)
        draw_number(t.input, shape->type, i, exponent);
    for (long i = 0; i < t.gradients; i++)
        draw_number(t.gradient, shape->type, i, exponent);
    for (long i = 0; i < t.weights; i++)
        t.before[i] = widen(draw_bf16(exponent, 4));
    return t;
}

static inline void tensors_free(struct tensors *t)
{
    free(t->input_memory);
    free(t->gradient_memory);
    free(t->result);
    free(t->before);
    free(t->wanted);
    free(t->magnitude);
}

static inline void define_pixel(const struct wgrad_shape *shape, struct tensors *t, long output,
                                long input, long tap)
{
    long strides[4], at;

    wgrad_strides(shape, strides);
    for (long o = 0; o < shape->out_channels; o++) {
        double gradient = number_at(t->gradient, shape->type, output * shape->out_channels + o);

        at = o * strides[0] + tap / shape->kernel * strides[2] + tap % shape->kernel * strides[3];
        for (long i = 0; i < shape->in_channels; i++, at += strides[1]) {
            double product =
                gradient * number_at(t->input, shape->type, input * shape->in_channels + i);

            t->wanted[at] += product;
            t->magnitude[at] += fabs(product);
        }
    }
}

/* The definition, in f64. */
static inline void define(const struct wgrad_shape *shape, struct tensors *t)
{
    long in = shape->in_size, out = shape->out_size, kernel = shape->kernel;

    if (shape->kernel == 1) {
        for (long p = 0; p < shape->pixels; p++)
            define_pixel(shape, t, p, p, 0);
        return;
    }
    for (long image = 0; image < shape->images; image++)
        for (long p = 0; p < out * out; p++)
            for (long tap = 0; tap < kernel * kernel; tap++) {
                long row = p / out * shape->stride + tap / kernel - kernel / 2;
                long column = p % out * shape->stride + tap % kernel - kernel / 2;

                if (row >= 0 && row < in && column >= 0 && column < in)
                    define_pixel(shape, t, image * out * out + p,
                                 (image * in + row) * in + column, tap);
            }
}

/* Runs it with scratch memory that holds no number. */
static inline void compute(const struct candidate *candidate, const struct wgrad_shape *shape,
                           struct wgrad_memory memory)
{
    size_t size =
        candidate->emulated ? emulated_amx_scratch(shape) : wgrad_scratch(candidate->kind, shape);

    if (posix_memalign(&memory.scratch, 64, size ? size : 64) != 0)
        abort();
    memset(memory.scratch, 0xff, size);
    if (candidate->emulated) {
        memory.out_end = memory.out_end ? memory.out_end : shape->out_channels;
        emulated_amx_run(shape, &memory);
    } else {
        wgrad_run(candidate->kind, shape, &memory);
    }
    free(memory.scratch);
}

static inline long output_channel(const struct wgrad_shape *shape, long weight)
{
    if (shape->kernel == 7)
        return weight / (shape->in_channels * 49);
    return wgrad_rows_are_inputs(shape) ? weight % shape->out_channels
                                        : weight / shape->in_channels % shape->out_channels;
}

/* How many weights are wrong, outside of the range those that were touched. */
static inline long count_wrong(const struct wgrad_shape *shape, const struct wgrad_memory *memory,
                               const struct tensors *t)
{
    long wrong = 0, end = memory->out_end ? memory->out_end : shape->out_channels;

    for (long i = 0; i < t->weights; i++) {
        long o = output_channel(shape, i);
        double before = (double)t->before[i], start = memory->accumulate ? before : 0;
        double tolerance = 1e-5 * (t->magnitude[i] + fabs(start)) + 1e-35;

        if (o < memory->out_begin || o >= end)
            wrong += memcmp(&t->result[i], &t->before[i], sizeof t->before[i]) != 0;
        else
            wrong += !(fabs((double)t->result[i] - start - t->wanted[i]) <= tolerance);
    }
    return wrong;
}

static inline void compare(const struct candidate *candidate, const struct wgrad_shape *shape,
                           struct tensors *t, struct wgrad_memory memory)
{
    char text[200];

    memory.input = t->input;
    memory.gradient = t->gradient;
    memory.weights = t->result;
    memcpy(t->result, t->before, (size_t)t->weights * sizeof *t->result);
    compute(candidate, shape, memory);
    snprintf(text, sizeof text,
             "%s of %s, %ld images %ld -> %ld, %ld pixels, channels %ld -> %ld, kernel %ld, "
             "stride %ld, "
             "range %ld to %ld, %s: wrong weights",
             candidate->name, shape->type == DNN_BF16 ? "bf16" : "f32", shape->images,
             shape->in_size, shape->out_size, shape->pixels, shape->in_channels,
             shape->out_channels, shape->kernel, shape->stride, memory.out_begin, memory.out_end,
             memory.accumulate ? "added" : "overwritten");
    test_int(count_wrong(shape, &memory, t), 0, __FILE__, __LINE__, text);
}

/* All kinds of the shape's type that this machine can run: whole and overwritten, then a range
 * and added. */
static inline void check_type(const struct wgrad_shape *shape, uint32_t exponent)
{
    struct tensors t = tensors_new(shape, exponent);
    long parts = shape->out_channels / 32, begin = draw((uint32_t)parts);
    long end = begin + 1 + draw((uint32_t)(parts - begin));

    define(shape, &t);
    for (size_t i = 0; i < COUNT(candidates); i++) {
        if (!can_run(&candidates[i], shape))
            continue;
        EXPECT(candidates[i].emulated || wgrad_supports(candidates[i].kind, shape, isa));
        compare(&candidates[i], shape, &t, (struct wgrad_memory){.accumulate = false});
        compare(&candidates[i], shape, &t,
                (struct wgrad_memory){
                    .accumulate = true, .out_begin = 32 * begin, .out_end = 32 * end});
    }
    tensors_free(&t);
}

static inline void check(struct wgrad_shape shape, uint32_t exponent)
{
    for (shape.type = DNN_F32; shape.type <= DNN_BF16; shape.type++)
        check_type(&shape, exponent);
}

static inline struct wgrad_shape pixels(long count, long in, long out)
{
    return (struct wgrad_shape){
        .pixels = count, .in_channels = in, .out_channels = out, .kernel = 1, .stride = 1};
}

static inline struct wgrad_shape images(long count, long size, long stride, long in, long out)
{
    return (struct wgrad_shape){.images = count,
                                .in_size = size,
                                .out_size = (size + stride - 1) / stride,
                                .in_channels = in,
                                .out_channels = out,
                                .kernel = 3,
                                .stride = stride};
}

/* Around the number 1. */
#define NORMAL 125

/* Tries each kind that can run a shape, in both types, with tensors of its own. */
static inline void with_each_kind(struct wgrad_shape shape,
                                  void (*trial)(const struct candidate *candidate,
                                                const struct wgrad_shape *shape,
                                                struct tensors *t))
{
    for (shape.type = DNN_F32; shape.type <= DNN_BF16; shape.type++)
        for (size_t i = 0; i < COUNT(candidates); i++)
            if (can_run(&candidates[i], &shape)) {
                struct tensors t = tensors_new(&shape, NORMAL);

                trial(&candidates[i], &shape, &t);
                tensors_free(&t);
            }
}

/* Each weight that saw something that is not a number says so; nothing hides behind a zero. */
static inline void look_for_hidden(const struct candidate *candidate,
                                   const struct wgrad_shape *shape, struct tensors *t)
{
    size_t size = shape->type == DNN_BF16 ? sizeof(uint16_t) : sizeof(float);
    long hidden = 0;

    memset(t->gradient, 0, (size_t)t->gradients * size);
    memset((char *)t->input + draw((uint32_t)t->inputs) * size, 0xff, size);
    define(shape, t);
    compute(
        candidate, shape,
        (struct wgrad_memory){.input = t->input, .gradient = t->gradient, .weights = t->result});
    for (long w = 0; w < t->weights; w++)
        hidden += isnan(t->wanted[w]) && !isnan(t->result[w]);
    EXPECT_INT(hidden, 0);
}

/* Ranges of output channels put together are the whole. */
static inline void put_together(const struct candidate *candidate,
                                const struct wgrad_shape *shape, struct tensors *t)
{
    struct wgrad_memory memory = {
        .input = t->input, .gradient = t->gradient, .weights = t->result};

    compute(candidate, shape, memory);
    memory.weights = t->before;
    for (memory.out_begin = 0; memory.out_begin < shape->out_channels; memory.out_begin += 32) {
        memory.out_end = memory.out_begin + 32;
        compute(candidate, shape, memory);
    }
    EXPECT(memcmp(t->before, t->result, (size_t)t->weights * sizeof *t->result) == 0);
}

bool test_begin(void)
{
    isa = cpu_probe();
    for (size_t i = 0; i < COUNT(candidates); i++)
        if (isa < candidates[i].needs)
            printf("skipped: %s, which needs %s, and this is %s\n", candidates[i].name,
                   cpu_isa_name(candidates[i].needs), cpu_isa_name(isa));
    return true;
}
