#include "engine/train/kernels/conv/conv.h"

#include "common/cleanup.h"
#include "tests/engine/train/kernels/conv/conv_trial.h"

/* The body of the AVX-512 kernel, on whatever vectors this processor has. */
#define CONV_NAME emulated_avx512_f32
#define CONV_ISA CPU_BASE
#define VEC_BYTES 64
#define VEC_WIDE 4
#include "engine/train/kernels/conv/conv_f32_body.c"

#define ERROR 3e-6

static enum cpu_isa isa;

bool test_begin(void)
{
    isa = cpu_probe();
    return true;
}

static const enum dnn_type types[] = {DNN_F32, DNN_BF16};

static const struct conv_kernel *kernel_here(int index)
{
    const struct conv_kernel *kernel = conv_kernel_at(index);

    return kernel && kernel->isa <= isa ? kernel : NULL;
}

/* Sizes where blocks, groups and images end in each other's middle. */
static const struct conv_shape small[] = {
    {CONV_FORWARD, 1, 1, 64, 64, 1, 1},  {CONV_FORWARD, 5, 5, 64, 128, 1, 1},
    {CONV_FORWARD, 7, 4, 64, 64, 1, 2},  {CONV_FORWARD, 7, 7, 64, 64, 3, 1},
    {CONV_FORWARD, 8, 4, 64, 64, 3, 2},  {CONV_FORWARD, 9, 5, 64, 128, 3, 2},
    {CONV_FORWARD, 2, 1, 128, 64, 3, 2}, {CONV_FORWARD, 1, 1, 64, 64, 3, 1},
};

static void try_small(const struct conv_kernel *kernel)
{
    trial_shapes(&(struct trial){.kernel = kernel, .images = 3, .every = 5, .error = ERROR},
                 small, COUNT(small));
}

TEST(every_kernel_computes_what_the_definition_says)
{
    for (int i = 0; conv_kernel_at(i); i++)
        if (kernel_here(i))
            try_small(kernel_here(i));
}

TEST(the_wide_kernel_computes_it_without_wide_registers)
{
    try_small(&emulated_avx512_f32);
}

/* ResNet-50, without what differs in numbers of layers only. */
static const struct conv_shape layers[] = {
    {CONV_FORWARD, 56, 56, 64, 64, 1, 1},    {CONV_FORWARD, 56, 56, 64, 64, 3, 1},
    {CONV_FORWARD, 56, 56, 64, 256, 1, 1},   {CONV_FORWARD, 56, 56, 256, 64, 1, 1},
    {CONV_FORWARD, 56, 56, 256, 128, 1, 1},  {CONV_FORWARD, 56, 28, 128, 128, 3, 2},
    {CONV_FORWARD, 28, 28, 128, 512, 1, 1},  {CONV_FORWARD, 56, 28, 256, 512, 1, 2},
    {CONV_FORWARD, 28, 28, 512, 128, 1, 1},  {CONV_FORWARD, 28, 28, 128, 128, 3, 1},
    {CONV_FORWARD, 28, 28, 512, 256, 1, 1},  {CONV_FORWARD, 28, 14, 256, 256, 3, 2},
    {CONV_FORWARD, 14, 14, 256, 1024, 1, 1}, {CONV_FORWARD, 28, 14, 512, 1024, 1, 2},
    {CONV_FORWARD, 14, 14, 1024, 256, 1, 1}, {CONV_FORWARD, 14, 14, 256, 256, 3, 1},
    {CONV_FORWARD, 14, 14, 1024, 512, 1, 1}, {CONV_FORWARD, 14, 7, 512, 512, 3, 2},
    {CONV_FORWARD, 7, 7, 512, 2048, 1, 1},   {CONV_FORWARD, 14, 7, 1024, 2048, 1, 2},
    {CONV_FORWARD, 7, 7, 2048, 512, 1, 1},   {CONV_FORWARD, 7, 7, 512, 512, 3, 1},
};

TEST(every_layer_of_resnet50_is_computed)
{
    for (size_t i = 0; i < 2 * COUNT(layers); i++)
        for (int direction = 0; direction < 2; direction++) {
            struct trial trial = {.shape = layers[i / 2], .images = 1, .every = 4999};

            trial.shape.direction = (enum conv_direction)direction;
            trial.kernel = conv_kernel_for(isa, types[i % 2], &trial.shape);
            trial.kind = direction ? CONV_KEPT : CONV_SUMS;
            trial.error = ERROR;
            EXPECT(trial.kernel != NULL);
            if (trial.kernel)
                trial_run(&trial);
        }
}

TEST(the_first_layer_is_computed_forward_by_every_kernel)
{
    struct conv_shape shape = {CONV_FORWARD, 224, 112, 3, 64, 7, 2};
    struct conv_shape little = {CONV_FORWARD, 13, 7, 3, 64, 7, 2};

    for (int i = 0; conv_kernel_at(i); i++)
        for (int kind = 0; kind < 2 && kernel_here(i); kind++) {
            trial_run(
                &(struct trial){kernel_here(i), shape, 1, 1999, (enum conv_end_kind)kind, ERROR});
            trial_run(
                &(struct trial){kernel_here(i), little, 3, 3, (enum conv_end_kind)kind, ERROR});
        }
    trial_run(&(struct trial){&emulated_avx512_f32, little, 2, 3, CONV_SUMS, ERROR});
    shape.direction = CONV_BACKWARD_DATA;
    EXPECT(conv_kernel_for(CPU_AMX, DNN_F32, &shape) == NULL);
}

TEST(what_is_no_known_convolution_has_no_kernel)
{
    static const struct conv_shape strange[] = {
        {CONV_FORWARD, 8, 8, 64, 64, 5, 1},  {CONV_FORWARD, 8, 3, 64, 64, 3, 3},
        {CONV_FORWARD, 8, 8, 64, 65, 3, 1},  {CONV_FORWARD, 8, 5, 64, 64, 3, 2},
        {CONV_FORWARD, 0, 0, 64, 64, 3, 1},  {CONV_FORWARD, 8, 4, 4, 64, 7, 2},
        {CONV_FORWARD, 8, 8, 8192, 64, 1, 1}};

    for (size_t i = 0; i < COUNT(strange); i++)
        EXPECT(conv_kernel_for(CPU_AMX, DNN_F32, &strange[i]) == NULL);
}

TEST(the_fastest_kernel_that_the_processor_has_is_chosen)
{
    static const struct {
        enum cpu_isa isa;
        const char *name;
    } chosen[] = {{CPU_BASE, "conv_portable_f32"},
                  {CPU_SSE41, "conv_portable_f32"},
                  {CPU_AVX2, "conv_avx2_f32"},
                  {CPU_AVX512, "conv_avx512_f32"},
                  {CPU_AMX, "conv_avx512_f32"}};

    for (size_t i = 0; i < COUNT(chosen); i++)
        EXPECT_STR(conv_kernel_for(chosen[i].isa, DNN_F32, &layers[0])->name, chosen[i].name);
    /* 16 channels are a quarter of what AVX-512 wants. */
    EXPECT_STR(
        conv_kernel_for(CPU_AMX, DNN_F32, &(struct conv_shape){CONV_FORWARD, 8, 8, 7, 16, 3, 1})
            ->name,
        "conv_avx2_f32");
}
