/* The tile kernel of conv.h on emulated tiles, on any processor; where there are tiles,
 * conv_test.c tries them too. */
#define WGRAD_EMULATE_TILES
#define CONV_NAME emulated_amx_bf16
#define CONV_ISA CPU_BASE
#include "engine/train/kernels/conv/conv_amx.c"

#include "common/cleanup.h"
#include "engine/train/kernels/conv/conv.h"
#include "tests/engine/train/kernels/conv/conv_trial.h"

#define ERROR 3e-6

/* Sizes where rows, images and blocks end in each other's middle. */
static const struct conv_shape shapes[] = {
    {CONV_FORWARD, 1, 1, 32, 32, 1, 1}, {CONV_FORWARD, 5, 5, 64, 96, 1, 1},
    {CONV_FORWARD, 8, 8, 32, 64, 1, 1}, {CONV_FORWARD, 7, 4, 64, 32, 1, 2},
    {CONV_FORWARD, 7, 7, 32, 64, 3, 1}, {CONV_FORWARD, 8, 4, 64, 64, 3, 2},
    {CONV_FORWARD, 9, 5, 64, 32, 3, 2}, {CONV_FORWARD, 2, 1, 96, 64, 3, 2},
    {CONV_FORWARD, 1, 1, 32, 32, 3, 1},
};
/* More weights than stay in cache. */
static const struct conv_shape large = {CONV_FORWARD, 5, 5, 256, 288, 3, 1};

TEST(tiles_compute_what_the_definition_says)
{
    struct trial like = {.kernel = &emulated_amx_bf16, .images = 3, .every = 5, .error = ERROR};

    trial_shapes(&like, shapes, COUNT(shapes));
    like.images = 2;
    like.every = 97;
    trial_shapes(&like, &large, 1);
}

TEST(tiles_compute_the_first_layer)
{
    static const struct conv_shape stem = {CONV_FORWARD, 14, 7, 3, 64, 7, 2};
    static const struct conv_shape odd = {CONV_FORWARD, 13, 7, 3, 32, 7, 2};

    trial_run(&(struct trial){&emulated_amx_bf16, stem, 3, 3, CONV_SUMS, ERROR});
    trial_run(&(struct trial){&emulated_amx_bf16, odd, 2, 3, CONV_PLAIN, ERROR});
}

TEST(channels_that_fill_no_tile_have_no_kernel)
{
    EXPECT(!conv_supports(&emulated_amx_bf16,
                          &(struct conv_shape){CONV_FORWARD, 8, 8, 48, 64, 3, 1}));
    EXPECT(!conv_supports(&emulated_amx_bf16,
                          &(struct conv_shape){CONV_FORWARD, 8, 8, 64, 48, 3, 1}));
}
