#include "engine/train/kernels/conv/conv_winograd.h"

#include "common/cleanup.h"
#include "engine/train/kernels/conv/conv.h"

#define KERNELS(set, format)                                                                     \
    extern const struct conv_kernel winograd_##set##_##format;                                   \
    extern const struct winograd_gradient winograd_##set##_##format##_weights;
KERNELS(portable, f32)
KERNELS(portable, bf16)
KERNELS(avx2, f32)
KERNELS(avx2, bf16)
KERNELS(avx512, f32)
KERNELS(avx512, bf16)

/* From the most to the least that is asked of the processor. */
static const struct conv_kernel *const all[] = {&winograd_avx512_f32,   &winograd_avx512_bf16,
                                                &winograd_avx2_f32,     &winograd_avx2_bf16,
                                                &winograd_portable_f32, &winograd_portable_bf16};

const struct conv_kernel *conv_winograd_for(enum cpu_isa isa, enum dnn_type type,
                                            const struct conv_shape *shape)
{
    if (shape->kernel != 3 || shape->stride != 1)
        return NULL;
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i]->isa <= isa && all[i]->type == type && conv_supports(all[i], shape))
            return all[i];
    return NULL;
}

const struct conv_kernel *conv_winograd_at(int index)
{
    return index < (int)COUNT(all) ? all[index] : NULL;
}

static const struct winograd_gradient *const gradients[] = {
    &winograd_avx512_f32_weights,   &winograd_avx512_bf16_weights,
    &winograd_avx2_f32_weights,     &winograd_avx2_bf16_weights,
    &winograd_portable_f32_weights, &winograd_portable_bf16_weights};

const struct winograd_gradient *winograd_gradient_for(enum cpu_isa isa, enum dnn_type type,
                                                      const struct conv_shape *shape)
{
    if (shape->kernel != 3 || shape->stride != 1 || shape->out_size < 1 ||
        (shape->out_size != shape->in_size && shape->out_size != shape->in_size - 2) ||
        shape->in_channels < 1 || shape->out_channels < 1)
        return NULL;
    for (size_t i = 0; i < COUNT(gradients); i++)
        if (gradients[i]->isa <= isa && gradients[i]->type == type &&
            shape->out_channels % gradients[i]->out_multiple == 0 &&
            shape->in_channels % gradients[i]->in_multiple == 0 &&
            shape->in_channels <= CONV_K_MAX && shape->out_channels <= CONV_K_MAX)
            return gradients[i];
    return NULL;
}

const struct winograd_gradient *winograd_gradient_at(int index)
{
    return index < (int)COUNT(gradients) ? gradients[index] : NULL;
}
