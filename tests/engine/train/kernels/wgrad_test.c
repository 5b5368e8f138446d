#include "engine/train/kernels/wgrad.h"

#include "common/cleanup.h"
#include "tests/test.h"

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
    bool emulated;
};

static const struct candidate candidates[] = {
    {"portable", CPU_BASE, WGRAD_PORTABLE, false},
    {"avx512_bf16", CPU_AVX512_BF16, WGRAD_AVX512_BF16, false},
    {"amx, emulated", CPU_AVX512, WGRAD_AMX, true},
    {"amx", CPU_AMX, WGRAD_AMX, false},
};

static uint64_t seed = 1;

static uint32_t draw(uint32_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % limit;
}

static float widen(uint16_t value)
{
    uint32_t bits = (uint32_t)value << 16;
    float result;

    memcpy(&result, &bits, sizeof result);
    return result;
}

/* Of the sign and exponents asked for, with a random mantissa. */
static uint16_t draw_bf16(uint32_t exponent, uint32_t range)
{
    return (uint16_t)(draw(2) << 15 | (exponent + draw(range)) << 7 | draw(128));
}

/* Tensors end where their memory ends, and begin on an odd multiple of two bytes, so that the
 * address sanitizer sees whoever reads beyond them. */
struct tensors {
    uint16_t *input_memory, *gradient_memory, *input, *gradient;
    long inputs, gradients, weights;
    float *result, *before;
    double *wanted, *magnitude;
};

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static long input_pixels(const struct wgrad_shape *shape)
{
    return shape->kernel == 1 ? shape->pixels : shape->images * shape->in_size * shape->in_size;
}

static long output_pixels(const struct wgrad_shape *shape)
{
    return shape->kernel == 1 ? shape->pixels : shape->images * shape->out_size * shape->out_size;
}

static struct tensors tensors_new(const struct wgrad_shape *shape, uint32_t exponent)
{
    struct tensors t = {
        .inputs = input_pixels(shape) * shape->in_channels,
        .gradients = output_pixels(shape) * shape->out_channels,
        .weights = shape->in_channels * shape->out_channels * shape->kernel * shape->kernel,
    };

    t.input_memory = must(malloc((size_t)(t.inputs + 1) * sizeof *t.input));
    t.gradient_memory = must(malloc((size_t)(t.gradients + 1) * sizeof *t.gradient));
    t.input = t.input_memory + 1;
    t.gradient = t.gradient_memory + 1;
    t.result = must(calloc((size_t)t.weights, sizeof *t.result));
    t.before = must(calloc((size_t)t.weights, sizeof *t.before));
    t.wanted = must(calloc((size_t)t.weights, sizeof *t.wanted));
    t.magnitude = must(calloc((size_t)t.weights, sizeof *t.magnitude));
    for (long i = 0; i < t.inputs; i++)
        t.input[i] = draw_bf16(exponent, 4);
    for (long i = 0; i < t.gradients; i++)
        t.gradient[i] = draw_bf16(exponent, 4);
    for (long i = 0; i < t.weights; i++)
        t.before[i] = widen(draw_bf16(exponent, 4));
    return t;
}

static void tensors_free(struct tensors *t)
{
    free(t->input_memory);
    free(t->gradient_memory);
    free(t->result);
    free(t->before);
    free(t->wanted);
    free(t->magnitude);
}

static void define_pixel(const struct wgrad_shape *shape, struct tensors *t, long output,
                         long input, long tap)
{
    const uint16_t *dy = t->gradient + output * shape->out_channels;
    const uint16_t *x = t->input + input * shape->in_channels;
    long strides[4], at;

    wgrad_strides(shape, strides);
    for (long o = 0; o < shape->out_channels; o++) {
        double gradient = (double)widen(dy[o]);

        at = o * strides[0] + tap / shape->kernel * strides[2] + tap % shape->kernel * strides[3];
        for (long i = 0; i < shape->in_channels; i++, at += strides[1]) {
            double product = gradient * (double)widen(x[i]);

            t->wanted[at] += product;
            t->magnitude[at] += fabs(product);
        }
    }
}

/* The definition, in f64. */
static void define(const struct wgrad_shape *shape, struct tensors *t)
{
    long in = shape->in_size, out = shape->out_size;

    if (shape->kernel == 1) {
        for (long p = 0; p < shape->pixels; p++)
            define_pixel(shape, t, p, p, 0);
        return;
    }
    for (long image = 0; image < shape->images; image++)
        for (long p = 0; p < out * out; p++)
            for (long tap = 0; tap < 9; tap++) {
                long row = p / out * shape->stride + tap / 3 - 1;
                long column = p % out * shape->stride + tap % 3 - 1;

                if (row >= 0 && row < in && column >= 0 && column < in)
                    define_pixel(shape, t, image * out * out + p,
                                 (image * in + row) * in + column, tap);
            }
}

/* Runs it with scratch memory that holds no number. */
static void compute(const struct candidate *candidate, const struct wgrad_shape *shape,
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

static long output_channel(const struct wgrad_shape *shape, long weight)
{
    return wgrad_rows_are_inputs(shape) ? weight % shape->out_channels
                                        : weight / shape->in_channels % shape->out_channels;
}

/* How many weights are wrong, outside of the range those that were touched. */
static long count_wrong(const struct wgrad_shape *shape, const struct wgrad_memory *memory,
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

static void compare(const struct candidate *candidate, const struct wgrad_shape *shape,
                    struct tensors *t, struct wgrad_memory memory)
{
    char text[200];

    memory.input = t->input;
    memory.gradient = t->gradient;
    memory.weights = t->result;
    memcpy(t->result, t->before, (size_t)t->weights * sizeof *t->result);
    compute(candidate, shape, memory);
    snprintf(
        text, sizeof text,
        "%s, %ld images %ld -> %ld, %ld pixels, channels %ld -> %ld, kernel %ld, stride %ld, "
        "range %ld to %ld, %s: wrong weights",
        candidate->name, shape->images, shape->in_size, shape->out_size, shape->pixels,
        shape->in_channels, shape->out_channels, shape->kernel, shape->stride, memory.out_begin,
        memory.out_end, memory.accumulate ? "added" : "overwritten");
    test_int(count_wrong(shape, &memory, t), 0, __FILE__, __LINE__, text);
}

/* All kinds that this machine can run: whole and overwritten, then a range and added. */
static void check(const struct wgrad_shape *shape, uint32_t exponent)
{
    struct tensors t = tensors_new(shape, exponent);
    long parts = shape->out_channels / 32, begin = draw((uint32_t)parts);
    long end = begin + 1 + draw((uint32_t)(parts - begin));

    define(shape, &t);
    for (size_t i = 0; i < COUNT(candidates); i++) {
        if (isa < candidates[i].needs)
            continue;
        EXPECT(candidates[i].emulated || wgrad_supports(candidates[i].kind, shape, isa));
        compare(&candidates[i], shape, &t, (struct wgrad_memory){.accumulate = false});
        compare(&candidates[i], shape, &t,
                (struct wgrad_memory){
                    .accumulate = true, .out_begin = 32 * begin, .out_end = 32 * end});
    }
    tensors_free(&t);
}

static struct wgrad_shape pixels(long count, long in, long out)
{
    return (struct wgrad_shape){
        .pixels = count, .in_channels = in, .out_channels = out, .kernel = 1, .stride = 1};
}

static struct wgrad_shape images(long count, long size, long stride, long in, long out)
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

static void rows_of_pixels_agree_with_the_definition(void)
{
    static const long counts[] = {1, 2, 3, 31, 32, 33, 49, 196};

    for (size_t i = 0; i < COUNT(counts); i++) {
        struct wgrad_shape few_inputs = pixels(counts[i], 32, 96);
        struct wgrad_shape few_outputs = pixels(counts[i], 64, 32);

        check(&few_inputs, NORMAL);
        check(&few_outputs, NORMAL);
    }
}

static void several_strips_of_pixels_add_up(void)
{
    struct wgrad_shape even = pixels(2048, 32, 32), odd = pixels(1535, 32, 64);

    check(&even, NORMAL);
    check(&odd, NORMAL);
}

static void every_small_image_agrees_with_the_definition(void)
{
    for (long stride = 1; stride <= 2; stride++)
        for (long size = 1; size <= 9; size++)
            for (long count = 1; count <= 4; count++) {
                struct wgrad_shape shape = images(count, size, stride, 32, 32);

                check(&shape, NORMAL);
            }
}

static void images_of_the_network_agree_with_the_definition(void)
{
    const struct wgrad_shape shapes[] = {
        images(3, 7, 1, 64, 96),  images(8, 7, 1, 32, 32),  images(1, 14, 1, 64, 32),
        images(3, 14, 2, 32, 64), images(4, 14, 2, 64, 32), images(1, 28, 2, 32, 32),
    };

    for (size_t i = 0; i < COUNT(shapes); i++)
        check(&shapes[i], NORMAL);
}

static void several_strips_of_images_add_up(void)
{
    const struct wgrad_shape shapes[] = {
        images(2, 28, 1, 32, 32),
        images(22, 14, 2, 32, 32),
        images(3, 19, 1, 32, 32),
        images(71, 3, 2, 32, 32),
    };

    for (size_t i = 0; i < COUNT(shapes); i++)
        check(&shapes[i], NORMAL);
}

static void random_shapes_agree_with_the_definition(void)
{
    for (int i = 0; i < 40; i++) {
        long in = 32 * (1 + draw(3)), out = 32 * (1 + draw(3));
        struct wgrad_shape shape = pixels(1 + draw(300), in, out);

        if (draw(4) > 0)
            shape = images(1 + draw(4), 1 + draw(9), 1 + draw(2), in, out);
        check(&shape, NORMAL);
    }
}

static void numbers_of_any_size_are_summed(void)
{
    static const uint32_t exponents[] = {0, 1, 60, 180}; /* from denormals to 1e16 */

    for (size_t i = 0; i < COUNT(exponents); i++) {
        struct wgrad_shape row = pixels(33, 32, 64), image = images(2, 6, 1, 32, 32);

        check(&row, exponents[i]);
        check(&image, exponents[i]);
    }
}

/* Each weight that saw something that is not a number says so; nothing hides behind a zero. */
static void what_is_not_a_number_is_not_hidden(void)
{
    const struct wgrad_shape shapes[] = {pixels(5, 32, 64), images(2, 3, 1, 32, 32),
                                         images(3, 4, 2, 32, 32)};

    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t c = 0; c < COUNT(candidates); c++) {
            struct tensors t = tensors_new(&shapes[s], NORMAL);
            struct wgrad_memory memory = {
                .input = t.input, .gradient = t.gradient, .weights = t.result};
            long hidden = 0;

            memset(t.gradient, 0, (size_t)t.gradients * sizeof *t.gradient);
            t.input[draw((uint32_t)t.inputs)] = 0x7fc0;
            define(&shapes[s], &t);
            if (isa >= candidates[c].needs)
                compute(&candidates[c], &shapes[s], memory);
            for (long i = 0; i < t.weights && isa >= candidates[c].needs; i++)
                hidden += isnan(t.wanted[i]) && !isnan(t.result[i]);
            EXPECT_INT(hidden, 0);
            tensors_free(&t);
        }
}

static void ranges_put_together_are_the_whole(void)
{
    const struct wgrad_shape shapes[] = {pixels(40, 64, 128), pixels(40, 128, 96),
                                         images(2, 7, 1, 64, 96)};

    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t c = 0; c < COUNT(candidates); c++) {
            struct tensors t = tensors_new(&shapes[s], NORMAL);
            struct wgrad_memory memory = {
                .input = t.input, .gradient = t.gradient, .weights = t.result};
            size_t bytes = (size_t)t.weights * sizeof *t.result;

            if (isa >= candidates[c].needs) {
                compute(&candidates[c], &shapes[s], memory);
                memory.weights = t.before;
                for (memory.out_begin = 0; memory.out_begin < shapes[s].out_channels;
                     memory.out_begin += 32) {
                    memory.out_end = memory.out_begin + 32;
                    compute(&candidates[c], &shapes[s], memory);
                }
                EXPECT(memcmp(t.before, t.result, bytes) == 0);
            }
            tensors_free(&t);
        }
}

static void only_what_was_promised_is_supported(void)
{
    struct wgrad_shape row = pixels(9, 64, 32), odd = pixels(9, 48, 32), none = pixels(0, 32, 32);
    struct wgrad_shape image = images(1, 7, 2, 32, 32), large = image, strided = row,
                       wrong = image;

    large.kernel = 5;
    strided.stride = 2;
    wrong.out_size = 3;
    EXPECT(wgrad_supports(WGRAD_PORTABLE, &row, CPU_BASE));
    EXPECT(wgrad_supports(WGRAD_PORTABLE, &image, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_PORTABLE, &odd, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_PORTABLE, &none, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_PORTABLE, &large, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_PORTABLE, &strided, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_PORTABLE, &wrong, CPU_BASE));
    EXPECT(!wgrad_supports(WGRAD_AVX512_BF16, &row, CPU_AVX512));
    EXPECT(!wgrad_supports(WGRAD_AMX, &row, CPU_AVX512_BF16));
#ifdef __x86_64__
    EXPECT(wgrad_supports(WGRAD_AVX512_BF16, &row, CPU_AVX512_BF16));
    EXPECT(wgrad_supports(WGRAD_AVX512_BF16, &row, CPU_AMX));
    EXPECT(wgrad_supports(WGRAD_AMX, &row, CPU_AMX));
#endif
}

static void strides_are_dense_and_told_for_each_axis(void)
{
    struct wgrad_shape few_inputs = pixels(9, 32, 64), few_outputs = pixels(9, 64, 32);
    struct wgrad_shape image = images(1, 7, 1, 32, 64);
    long strides[4];

    wgrad_strides(&few_inputs, strides);
    EXPECT_INT(strides[0], 1);
    EXPECT_INT(strides[1], 64);
    wgrad_strides(&few_outputs, strides);
    EXPECT_INT(strides[0], 64);
    EXPECT_INT(strides[1], 1);
    wgrad_strides(&image, strides);
    EXPECT_INT(strides[0], 32);
    EXPECT_INT(strides[1], 1);
    EXPECT_INT(strides[2], 3 * 32 * 64);
    EXPECT_INT(strides[3], 32 * 64);
}

static void kinds_have_names(void)
{
    EXPECT_STR(wgrad_kind_name(WGRAD_PORTABLE), "portable");
    EXPECT_STR(wgrad_kind_name(WGRAD_AVX512_BF16), "avx512_bf16");
    EXPECT_STR(wgrad_kind_name(WGRAD_AMX), "amx");
}

int main(void)
{
    isa = cpu_probe();
    for (size_t i = 0; i < COUNT(candidates); i++)
        if (isa < candidates[i].needs)
            printf("skipped: %s, which needs %s, and this is %s\n", candidates[i].name,
                   cpu_isa_name(candidates[i].needs), cpu_isa_name(isa));
    RUN(rows_of_pixels_agree_with_the_definition);
    RUN(several_strips_of_pixels_add_up);
    RUN(every_small_image_agrees_with_the_definition);
    RUN(images_of_the_network_agree_with_the_definition);
    RUN(several_strips_of_images_add_up);
    RUN(random_shapes_agree_with_the_definition);
    RUN(numbers_of_any_size_are_summed);
    RUN(what_is_not_a_number_is_not_hidden);
    RUN(ranges_put_together_are_the_whole);
    RUN(only_what_was_promised_is_supported);
    RUN(strides_are_dense_and_told_for_each_axis);
    RUN(kinds_have_names);
    return test_result();
}
