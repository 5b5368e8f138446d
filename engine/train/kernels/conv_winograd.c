#include "engine/train/kernels/conv_winograd.h"

#include "common/cleanup.h"

#define CHANNELS 4096 /* at most */

extern const struct conv_kernel winograd2_portable_f32, winograd2_avx2_f32, winograd2_avx512_f32;
extern const struct conv_kernel winograd4_portable_f32, winograd4_avx2_f32, winograd4_avx512_f32;

extern const struct winograd_gradient winograd2_portable_weights, winograd2_avx2_weights,
    winograd2_avx512_weights, winograd4_portable_weights, winograd4_avx2_weights,
    winograd4_avx512_weights;

/* From the most to the least that is asked of the processor. */
static const struct {
    int tile;
    const struct conv_kernel *kernel;
} all[] = {{2, &winograd2_avx512_f32},   {4, &winograd4_avx512_f32},
           {2, &winograd2_avx2_f32},     {4, &winograd4_avx2_f32},
           {2, &winograd2_portable_f32}, {4, &winograd4_portable_f32}};

const struct conv_kernel *conv_winograd_for(enum cpu_isa isa, int tile,
                                            const struct conv_shape *shape)
{
    if (shape->kernel != 3 || shape->stride != 1)
        return NULL;
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i].kernel->isa <= isa && all[i].tile == tile &&
            conv_supports(all[i].kernel, shape))
            return all[i].kernel;
    return NULL;
}

const struct conv_kernel *conv_winograd_at(int index)
{
    return index < (int)COUNT(all) ? all[index].kernel : NULL;
}

static const struct winograd_gradient *const gradients[] = {
    &winograd2_avx512_weights, &winograd4_avx512_weights,   &winograd2_avx2_weights,
    &winograd4_avx2_weights,   &winograd2_portable_weights, &winograd4_portable_weights};

const struct winograd_gradient *winograd_gradient_for(enum cpu_isa isa, int tile,
                                                      const struct conv_shape *shape)
{
    if (shape->kernel != 3 || shape->stride != 1 || shape->in_size < 1 ||
        shape->out_size != shape->in_size || shape->in_channels < 1 || shape->out_channels < 1)
        return NULL;
    for (size_t i = 0; i < COUNT(gradients); i++)
        if (gradients[i]->isa <= isa && gradients[i]->tile == tile &&
            shape->out_channels % gradients[i]->out_multiple == 0 &&
            shape->in_channels % gradients[i]->in_multiple == 0 &&
            shape->in_channels <= CHANNELS && shape->out_channels <= CHANNELS)
            return gradients[i];
    return NULL;
}

const struct winograd_gradient *winograd_gradient_at(int index)
{
    return index < (int)COUNT(gradients) ? gradients[index] : NULL;
}
