#include "engine/train/kernels/conv/conv.h"

#include "common/cleanup.h"
#include "engine/train/kernels/conv/conv_rows.h"

extern const struct conv_kernel conv_portable_f32, conv_avx2_f32, conv_avx512_f32;
extern const struct conv_kernel conv_portable_bf16, conv_avx2_bf16, conv_avx512_bf16_bf16,
    conv_amx_bf16;

/* From the most to the least that is asked of the processor. */
static const struct conv_kernel *const all[] = {
#ifdef __x86_64__
    &conv_amx_bf16,
#endif
    &conv_avx512_bf16_bf16, &conv_avx512_f32,   &conv_avx2_f32,
    &conv_avx2_bf16,        &conv_portable_f32, &conv_portable_bf16};

static bool is_shape(const struct conv_kernel *kernel, const struct conv_shape *shape)
{
    bool known = shape->kernel == 1 || shape->kernel == 3;
    long lost = kernel->unpadded && shape->out_size < shape->in_size ? shape->kernel - 1 : 0;

    return (known || conv_is_stem(shape)) && (shape->stride == 1 || shape->stride == 2) &&
           shape->out_size >= 1 && shape->in_channels >= 1 && shape->out_channels >= 1 &&
           shape->out_size == (shape->in_size - lost + shape->stride - 1) / shape->stride;
}

bool conv_supports(const struct conv_kernel *kernel, const struct conv_shape *shape)
{
    long k = conv_k(shape);

    return is_shape(kernel, shape) && k <= CONV_K_MAX &&
           conv_n(shape) % kernel->n_multiple == 0 &&
           (conv_is_stem(shape) || k % kernel->k_multiple == 0);
}

const struct conv_kernel *conv_kernel_for(enum cpu_isa isa, enum dnn_type type,
                                          const struct conv_shape *shape)
{
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i]->isa <= isa && all[i]->type == type && conv_supports(all[i], shape))
            return all[i];
    return NULL;
}

const struct conv_kernel *conv_kernel_at(int index)
{
    return index < (int)COUNT(all) ? all[index] : NULL;
}
