#include "engine/train/kernels/conv/conv_winograd.h"

#include "common/cleanup.h"
#include "engine/train/kernels/conv/conv.h"
#include "tests/engine/train/kernels/conv/conv_trial.h"

/* The body of an AVX-512 kernel, on whatever vectors this processor has. */
#define CONV_NAME emulated_winograd_avx512_f32
#define CONV_ISA CPU_BASE
#define VEC_BYTES 64
#define VEC_WIDE 4
#include "engine/train/kernels/conv/conv_winograd_body.c"

/* Of the sum of magnitudes. What is left out or taken twice is a thousand times as much, in
 * shapes as small as these. */
#define ERROR 1e-5

/* Sizes that tiles fit into, and do not; more than a group of tiles; more weights
 * than stay in cache; without padding. */
static const struct conv_shape shapes[] = {
    {CONV_FORWARD, 1, 1, 64, 64, 3, 1},   {CONV_FORWARD, 4, 4, 64, 128, 3, 1},
    {CONV_FORWARD, 7, 7, 128, 64, 3, 1},  {CONV_FORWARD, 14, 14, 64, 64, 3, 1},
    {CONV_FORWARD, 5, 5, 128, 192, 3, 1}, {CONV_FORWARD, 3, 1, 64, 64, 3, 1},
    {CONV_FORWARD, 6, 4, 64, 128, 3, 1},  {CONV_FORWARD, 15, 13, 64, 64, 3, 1},
};

static void try_shapes(const struct conv_kernel *kernel)
{
    trial_shapes(&(struct trial){.kernel = kernel, .images = 3, .every = 37, .error = ERROR},
                 shapes, COUNT(shapes));
}

TEST(tiles_compute_what_the_definition_says)
{
    for (int i = 0; conv_winograd_at(i); i++)
        if (conv_winograd_at(i)->isa <= cpu_probe())
            try_shapes(conv_winograd_at(i));
}

TEST(the_wide_kernel_computes_it_without_wide_registers)
{
    try_shapes(&emulated_winograd_avx512_f32);
}

TEST(the_3x3_layers_of_resnet50_are_computed)
{
    static const enum dnn_type types[] = {DNN_F32, DNN_BF16};
    static const long layers[][2] = {{56, 64}, {28, 128}, {14, 256}, {7, 512}};

    for (size_t i = 0; i < 4 * COUNT(layers); i++) {
        const long *layer = layers[i / 4];
        struct trial trial = {
            .shape = {(enum conv_direction)(i % 2), layer[0], layer[0], layer[1], layer[1], 3, 1},
            .images = 1,
            .every = 4999,
            .kind = i % 2 ? CONV_INNER : CONV_SUMS,
            .error = ERROR};

        trial.kernel = conv_winograd_for(cpu_probe(), types[i / 2 % 2], &trial.shape);
        EXPECT(trial.kernel != NULL);
        if (trial.kernel)
            trial_run(&trial);
    }
}

TEST(only_3x3_convolutions_of_stride_1_have_a_kernel)
{
    static const struct conv_shape other[] = {
        {CONV_FORWARD, 8, 8, 64, 64, 1, 1}, {CONV_FORWARD, 8, 4, 64, 64, 3, 2},
        {CONV_FORWARD, 8, 4, 3, 64, 7, 2},  {CONV_FORWARD, 8, 7, 64, 64, 3, 1},
        {CONV_FORWARD, 2, 0, 64, 64, 3, 1}, {CONV_FORWARD, 6, 8, 64, 64, 3, 1},
        {CONV_FORWARD, 8, 8, 64, 60, 3, 1}, {CONV_FORWARD, 8, 8, 62, 64, 3, 1}};

    for (size_t i = 0; i < COUNT(other); i++)
        EXPECT(conv_winograd_for(CPU_AMX, DNN_F32, &other[i]) == NULL);
    EXPECT_STR(conv_winograd_for(CPU_AVX2, DNN_F32, &shapes[0])->name, "winograd_avx2_f32");
    EXPECT_STR(conv_winograd_for(CPU_BASE, DNN_BF16, &shapes[0])->name, "winograd_portable_bf16");
}
