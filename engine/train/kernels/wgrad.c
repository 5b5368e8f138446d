#include "engine/train/kernels/wgrad.h"

#include "engine/train/kernels/wgrad_kinds.h"
#include "engine/train/kernels/wgrad_pack.h"
#include "engine/train/kernels/wgrad_stem.h"

#include <assert.h>
#include <string.h>

static float wgrad_widen(uint16_t value)
{
    uint32_t bits = (uint32_t)value << 16;
    float result;

    memcpy(&result, &bits, sizeof result);
    return result;
}

static float wgrad_value(const struct wgrad_shape *shape, const void *values, long index)
{
    return shape->type == DNN_BF16 ? wgrad_widen(((const uint16_t *)values)[index])
                                   : ((const float *)values)[index];
}

/* What one output pixel adds to the weights of one tap: rows `output` of the gradient and `input`
 * of the input. */
static void add_pixel(const struct wgrad_memory *memory, const struct wgrad_shape *shape,
                      long input, long output, float *weights)
{
    long strides[4];

    wgrad_strides(shape, strides);
    for (long o = memory->out_begin; o < memory->out_end; o++) {
        float of = wgrad_value(shape, memory->gradient, output * shape->out_channels + o);
        float *weight = weights + o * strides[0];

        for (long i = 0; i < shape->in_channels; i++, weight += strides[1])
            *weight += of * wgrad_value(shape, memory->input, input * shape->in_channels + i);
    }
}

static void add_image(const struct wgrad_memory *memory, const struct wgrad_shape *shape,
                      long image)
{
    long in = shape->in_size, out = shape->out_size, kernel = shape->kernel, strides[4];

    wgrad_strides(shape, strides);
    for (long at = 0; at < out * out * kernel * kernel; at++) {
        long h = at % kernel, w = at / kernel % kernel, pixel = at / kernel / kernel;
        long row = pixel / out * shape->stride + h - kernel / 2,
             column = pixel % out * shape->stride + w - kernel / 2;

        if (row >= 0 && row < in && column >= 0 && column < in)
            add_pixel(memory, shape, (image * in + row) * in + column, image * out * out + pixel,
                      memory->weights + h * strides[2] + w * strides[3]);
    }
}

/* As it is defined. */
static void run_portable(const struct wgrad_shape *shape, const struct wgrad_memory *memory)
{
    long strides[4], taps = shape->kernel * shape->kernel;

    wgrad_strides(shape, strides);
    for (long o = memory->out_begin; o < memory->out_end && !memory->accumulate; o++)
        for (long i = 0; i < shape->in_channels * taps; i++)
            memory->weights[o * strides[0] + i / taps * strides[1] + i % taps * strides[3]] = 0;
    if (shape->kernel == 1)
        for (long p = 0; p < shape->pixels; p++)
            add_pixel(memory, shape, p, p, memory->weights);
    else
        for (long image = 0; image < shape->images; image++)
            add_image(memory, shape, image);
}

#ifdef __x86_64__
#define BY_HAND(function) function
#else
#define BY_HAND(function) NULL
#endif

static const struct {
    const char *name;
    enum cpu_isa isa;
    enum dnn_type type;                                 /* not of the portable one */
    bool stem;                                          /* knows kernel 7 */
    size_t (*scratch)(const struct wgrad_shape *shape); /* NULL: none */
    void (*run)(const struct wgrad_shape *shape, const struct wgrad_memory *memory);
} kinds[WGRAD_KINDS] = {
    [WGRAD_PORTABLE] = {"portable", CPU_BASE, DNN_F32, true, NULL, run_portable},
    [WGRAD_AVX512_BF16] = {"avx512_bf16", CPU_AVX512_BF16, DNN_BF16, false,
                           BY_HAND(wgrad_avx512_scratch), BY_HAND(wgrad_avx512_run)},
    [WGRAD_AMX] = {"amx", CPU_AMX, DNN_BF16, true, BY_HAND(wgrad_amx_scratch),
                   BY_HAND(wgrad_amx_run)},
    [WGRAD_AVX2_F32] = {"avx2_f32", CPU_AVX2, DNN_F32, false, BY_HAND(wgrad_avx2_f32_scratch),
                        BY_HAND(wgrad_avx2_f32_run)},
    [WGRAD_AVX512_F32] = {"avx512_f32", CPU_AVX512, DNN_F32, false,
                          BY_HAND(wgrad_avx512_f32_scratch), BY_HAND(wgrad_avx512_f32_run)},
};

const char *wgrad_kind_name(enum wgrad_kind kind)
{
    return kinds[kind].name;
}

enum wgrad_kind wgrad_fastest(enum dnn_type type, enum cpu_isa isa)
{
    enum wgrad_kind best = WGRAD_PORTABLE;

    for (enum wgrad_kind kind = WGRAD_PORTABLE + 1; kind < WGRAD_KINDS; kind++)
        if (kinds[kind].run && kinds[kind].type == type && isa >= kinds[kind].isa)
            best = kind;
    return best;
}

static bool is_shape(const struct wgrad_shape *shape)
{
    bool whole = shape->in_channels >= PANEL && shape->in_channels % PANEL == 0;

    if (shape->out_channels < PANEL || shape->out_channels % PANEL != 0)
        return false;
    if (shape->kernel == 1)
        return whole && shape->stride == 1 && shape->pixels >= 1;
    if (shape->images < 1 || shape->in_size < 1 || shape->stride < 1 ||
        shape->out_size != (shape->in_size + shape->stride - 1) / shape->stride)
        return false;
    if (wgrad_is_stem(shape))
        return shape->in_channels == STEM_CHANNELS && shape->stride == 2;
    return whole && shape->kernel == 3 && shape->stride <= 2;
}

static bool wgrad_knows(enum wgrad_kind kind, const struct wgrad_shape *shape)
{
    return kinds[kind].run && is_shape(shape) && (kinds[kind].stem || !wgrad_is_stem(shape)) &&
           (kind == WGRAD_PORTABLE || kinds[kind].type == shape->type);
}

bool wgrad_supports(enum wgrad_kind kind, const struct wgrad_shape *shape, enum cpu_isa isa)
{
    return isa >= kinds[kind].isa && wgrad_knows(kind, shape);
}

void wgrad_strides(const struct wgrad_shape *shape, long ret_strides[4])
{
    long in = shape->in_channels, out = shape->out_channels;
    bool rows_are_inputs = wgrad_rows_are_inputs(shape);

    if (wgrad_is_stem(shape)) {
        ret_strides[0] = in * shape->kernel * shape->kernel;
        ret_strides[1] = 1;
        ret_strides[2] = in * shape->kernel;
        ret_strides[3] = in;
        return;
    }
    ret_strides[0] = rows_are_inputs ? 1 : in;
    ret_strides[1] = rows_are_inputs ? out : 1;
    ret_strides[2] = in * out * shape->kernel;
    ret_strides[3] = in * out;
}

size_t wgrad_scratch(enum wgrad_kind kind, const struct wgrad_shape *shape)
{
    return kinds[kind].scratch ? kinds[kind].scratch(shape) : 0;
}

void wgrad_run(enum wgrad_kind kind, const struct wgrad_shape *shape,
               const struct wgrad_memory *memory)
{
    struct wgrad_memory ranged = *memory;

    if (ranged.out_end == 0)
        ranged.out_end = shape->out_channels;
    assert(wgrad_knows(kind, shape));
    assert(ranged.out_begin >= 0 && ranged.out_begin < ranged.out_end &&
           ranged.out_end <= shape->out_channels);
    assert(ranged.out_begin % PANEL == 0 && ranged.out_end % PANEL == 0);
    kinds[kind].run(shape, &ranged);
}
