/* The gradient of the weights by Winograd's tiles, against its definition in f64. */
#include "engine/train/kernels/conv/conv_winograd.h"

#include "common/cleanup.h"

#include <math.h>
#include <stdlib.h>

/* The body of an AVX-512 gradient, on whatever vectors this processor has. */
#define CONV_NAME emulated_winograd_avx512_weights
#define CONV_ISA CPU_BASE
#define VEC_BYTES 64
#define VEC_WIDE 4
#include "engine/train/kernels/conv/conv_winograd_weights_body.c"

#include "tests/engine/train/kernels/numbers.h"

#define ERROR 1e-5 /* of the sum of magnitudes */

struct tensors {
    long pitch; /* pixels of a line of the input */
    float *input, *gradient, *sums, *result;
    void *stored_input, *stored_gradient, *scratch;
};

/* The numbers as the kernel stores them; what is rounded is rounded in `numbers` too. */
static void *store(enum dnn_type type, float *numbers, long count)
{
    char *memory = xmalloc((size_t)count * dnn_type_size(type));

    for (long i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &numbers[i], sizeof bits);
        if (type == DNN_BF16)
            bits &= 0xffff0000u;
        memcpy(&numbers[i], &bits, sizeof bits);
        bits = type == DNN_BF16 ? bits >> 16 : bits;
        memcpy(memory + (size_t)i * dnn_type_size(type), &bits, dnn_type_size(type));
    }
    return memory;
}

static void check_weight(const struct conv_shape *shape, const struct tensors *tensors,
                         long images, const long at[4], double got)
{
    long in = shape->in_size, out = shape->out_size, padding = (out - in + 2) / 2;
    const long pitch = tensors->pitch;
    double wanted = 0, magnitude = 1;

    for (long p = 0; p < images * out * out; p++) {
        long y = p / out % out + at[2] - padding, x = p % out + at[3] - padding;
        double product;

        if (y < 0 || y >= in || x < 0 || x >= in)
            continue;
        product =
            (double)tensors->gradient[p * shape->out_channels + at[0]] *
            (double)tensors
                ->input[((p / (out * out) * in + y) * pitch + x) * shape->in_channels + at[1]];
        wanted += product;
        magnitude += fabs(product);
    }
    EXPECT_NEAR(got, wanted, ERROR * magnitude);
}

/* All images at once, or the last one on its own, added to the others. */
static void learn(const struct winograd_gradient *kernel, const struct conv_shape *shape,
                  const struct tensors *tensors, long images, bool apart)
{
    long rest = apart ? images - 1 : images, in = rest * shape->in_size * tensors->pitch;
    long out = rest * shape->out_size * shape->out_size;
    long each = (long)dnn_type_size(kernel->type);
    struct winograd_gradient_call call = {
        .images = rest,
        .input = tensors->stored_input,
        .pitch = tensors->pitch == shape->in_size ? 0 : tensors->pitch,
        .gradient = tensors->stored_gradient,
        .sums = tensors->sums,
        .first = true,
        .scratch = tensors->scratch,
    };

    kernel->add(shape, &call);
    if (!apart)
        return;
    call.images = 1;
    call.first = false;
    call.input = (const char *)call.input + in * shape->in_channels * each;
    call.gradient = (const char *)call.gradient + out * shape->out_channels * each;
    kernel->add(shape, &call);
}

static void try_shape(const struct winograd_gradient *kernel, const struct conv_shape *shape,
                      long images, long every)
{
    long in = shape->in_channels, out = shape->out_channels, failures = test_failures;
    long pitch = shape->in_size + images % 2, inputs = images * shape->in_size * pitch * in;
    long outputs = images * shape->out_size * shape->out_size * out, taps = 9;
    struct tensors tensors = {.pitch = pitch,
                              .input = numbers(inputs),
                              .gradient = numbers(outputs),
                              .sums = spoiled(kernel->sums_size(shape)),
                              .result = numbers(in * out * taps),
                              .scratch = spoiled(kernel->scratch_size(shape))};
    const float *const copies[] = {tensors.sums};
    const struct winograd_gradient_sums sums = {copies, 1};
    struct winograd_gradient_result layouts[2] = {
        {tensors.result, {in * taps, taps, 3, 1}},
        {tensors.result, {in, 1, 3 * in * out, in * out}}};

    tensors.stored_input = store(kernel->type, tensors.input, inputs);
    tensors.stored_gradient = store(kernel->type, tensors.gradient, outputs);
    for (int i = 0; i < 2; i++) {
        const long *strides = layouts[i].strides;

        learn(kernel, shape, &tensors, images, i == 1);
        for (int part = 2; part >= 0; part--)
            kernel->finish(shape, &sums, part, 3, &layouts[i]);
        for (long j = i; j < in * out * taps && failures == test_failures; j += every) {
            long at[4] = {j / (in * taps), j / taps % in, j / 3 % 3, j % 3};

            check_weight(shape, &tensors, images, at,
                         (double)tensors.result[at[0] * strides[0] + at[1] * strides[1] +
                                                at[2] * strides[2] + at[3] * strides[3]]);
        }
    }
    if (failures != test_failures)
        fprintf(stderr, "    %s, %ld -> %ld, size %ld\n", kernel->name, in, out, shape->in_size);
    free(tensors.input);
    free(tensors.gradient);
    free(tensors.sums);
    free(tensors.result);
    free(tensors.stored_input);
    free(tensors.stored_gradient);
    free(tensors.scratch);
}

static void try_shapes(const struct winograd_gradient *kernel)
{
    static const long small[][4] = {{1, 1, 64, 64},   {4, 4, 64, 128}, {7, 7, 80, 64},
                                    {14, 14, 64, 64}, {5, 5, 128, 64}, {3, 1, 64, 64},
                                    {15, 13, 64, 64}};

    for (size_t i = 0; i < COUNT(small); i++)
        try_shape(kernel,
                  &(struct conv_shape){CONV_FORWARD, small[i][0], small[i][1], small[i][2],
                                       small[i][3], 3, 1},
                  3, 11);
}

TEST(every_gradient_is_what_the_definition_says)
{
    for (int i = 0; winograd_gradient_at(i); i++)
        if (winograd_gradient_at(i)->isa <= cpu_probe())
            try_shapes(winograd_gradient_at(i));
}

TEST(the_wide_gradient_needs_no_wide_registers)
{
    try_shapes(&emulated_winograd_avx512_weights);
}

TEST(the_3x3_layers_of_resnet50_have_a_gradient)
{
    static const enum dnn_type types[] = {DNN_F32, DNN_BF16};
    static const long layers[][2] = {{56, 64}, {28, 128}, {14, 256}, {7, 512}};

    for (size_t i = 0; i < 2 * COUNT(layers); i++) {
        const long *layer = layers[i / 2];
        struct conv_shape shape = {CONV_FORWARD, layer[0], layer[0], layer[1], layer[1], 3, 1};
        const struct winograd_gradient *kernel =
            winograd_gradient_for(cpu_probe(), types[i % 2], &shape);

        EXPECT(kernel != NULL);
        if (kernel)
            try_shape(kernel, &shape, 1 + (layer[0] < 56), 4999);
    }
}

TEST(other_shapes_have_no_gradient)
{
    static const struct conv_shape other[] = {
        {CONV_FORWARD, 8, 8, 64, 64, 1, 1}, {CONV_FORWARD, 8, 4, 64, 64, 3, 2},
        {CONV_FORWARD, 8, 7, 64, 64, 3, 1}, {CONV_FORWARD, 2, 0, 64, 64, 3, 1},
        {CONV_FORWARD, 8, 8, 64, 60, 3, 1}, {CONV_FORWARD, 8, 8, 62, 64, 3, 1},
        {CONV_FORWARD, 0, 0, 64, 64, 3, 1}, {CONV_FORWARD, 8, 8, 8192, 64, 3, 1}};

    for (size_t i = 0; i < COUNT(other); i++)
        EXPECT(winograd_gradient_for(CPU_AMX, DNN_F32, &other[i]) == NULL);
    EXPECT_STR(winograd_gradient_for(CPU_AVX2, DNN_BF16,
                                     &(struct conv_shape){CONV_FORWARD, 8, 8, 64, 64, 3, 1})
                   ->name,
               "winograd_avx2_bf16_weights");
}
