/* Tested by tests/engine/train/kernels/wgrad_test.c. */
#include "engine/train/kernels/wgrad_pack.h"

bool wgrad_rows_are_inputs(const struct wgrad_shape *shape)
{
    return shape->kernel == 1 && shape->in_channels < shape->out_channels;
}

struct wgrad_sides wgrad_sides(const struct wgrad_shape *shape, const struct wgrad_memory *memory)
{
    long in = shape->in_channels, out = shape->out_channels;

    if (wgrad_rows_are_inputs(shape))
        return (struct wgrad_sides){
            .rows = memory->input,
            .row_channels = in,
            .row_end = in,
            .columns = memory->gradient,
            .column_channels = out,
            .column_begin = memory->out_begin,
            .column_end = memory->out_end,
        };
    return (struct wgrad_sides){
        .rows = memory->gradient,
        .row_channels = out,
        .row_begin = memory->out_begin,
        .row_end = memory->out_end,
        .columns = memory->input,
        .column_channels = in,
        .column_end = in,
    };
}

struct wgrad_pairing wgrad_pairing(const struct wgrad_shape *shape)
{
    if (shape->type == DNN_F32)
        return (struct wgrad_pairing){shape->images, shape->out_size, 1, true};
    if (shape->images % 2 == 0)
        return (struct wgrad_pairing){shape->images / 2, shape->out_size, 2, false};
    return (struct wgrad_pairing){shape->images, (shape->out_size + 1) / 2, 1, false};
}

const void *wgrad_number(const struct wgrad_shape *shape, const void *values, long index)
{
    long size = shape->type == DNN_BF16 ? sizeof(uint16_t) : sizeof(float);

    return (const char *)values + index * size;
}

/* Rows of one side of a convolution: `images` of so many pixels a side. */
struct side {
    const struct wgrad_shape *shape;
    const void *images;
    long size, channels;
};

/* NULL outside of the image. */
static const void *image_row(const struct side *side, long image, long row)
{
    if (row < 0 || row >= side->size)
        return NULL;
    return wgrad_number(side->shape, side->images,
                        (image * side->size + row) * side->size * side->channels);
}

/* Row `row` of the group's first image, with the one that is `down` rows below it where an image
 * is paired with itself. */
static struct wgrad_pairs pair_rows(const struct side *side, long group, long row, long down)
{
    struct wgrad_pairing by = wgrad_pairing(side->shape);
    long image = group * by.images;
    struct wgrad_pairs pairs = {
        .first = image_row(side, image, row), .step = side->channels, .count = side->size};

    if (!by.single)
        pairs.second = image_row(side, image + by.images - 1, row + (by.images == 1 ? down : 0));
    return pairs;
}

struct wgrad_pairs wgrad_output_row(const struct wgrad_shape *shape, const void *gradient,
                                    long group, long row)
{
    const struct side side = {shape, gradient, shape->out_size, shape->out_channels};

    return pair_rows(&side, group, row, wgrad_pairing(shape).rows);
}

struct wgrad_pairs wgrad_input_row(const struct wgrad_shape *shape, const void *input, long group,
                                   long row)
{
    const struct side side = {shape, input, shape->in_size, shape->in_channels};

    return pair_rows(&side, group, row, wgrad_pairing(shape).rows * shape->stride);
}

#ifdef __x86_64__
#include <immintrin.h>

__attribute__((target("avx512f,avx512bw"))) void wgrad_pack(const struct wgrad_pairs *pairs,
                                                            long channel, uint32_t *ret_panel)
{
    static const uint16_t order[PANEL] = {0,  32, 1,  33, 2,  34, 3,  35, 4,  36, 5,
                                          37, 6,  38, 7,  39, 8,  40, 9,  41, 10, 42,
                                          11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
    static const uint16_t zeros[PANEL];
    const uint16_t *first = pairs->first ? (const uint16_t *)pairs->first + channel : zeros;
    const uint16_t *second = pairs->second ? (const uint16_t *)pairs->second + channel : zeros;
    long first_step = pairs->first ? pairs->step : 0;
    long second_step = pairs->second ? pairs->step : 0;
    __m512i low = _mm512_loadu_si512(order);
    __m512i high = _mm512_add_epi16(low, _mm512_set1_epi16(PANEL / 2));

    for (long i = 0; i < pairs->count; i++) {
        __m512i a = _mm512_loadu_si512(first), b = _mm512_loadu_si512(second);

        /* The next panel will want what lies behind this one; nothing happens if there is none.
         */
        _mm_prefetch((const char *)(first + PANEL), _MM_HINT_T1);
        _mm_prefetch((const char *)(second + PANEL), _MM_HINT_T1);
        _mm512_store_si512(ret_panel, _mm512_permutex2var_epi16(a, low, b));
        _mm512_store_si512(ret_panel + PANEL / 2, _mm512_permutex2var_epi16(a, high, b));
        ret_panel += PANEL;
        first += first_step;
        second += second_step;
    }
}

void wgrad_pack_pixels(const uint16_t *values, long pixels, long channels, long channel,
                       uint32_t *ret_panel)
{
    struct wgrad_pairs whole = {values, values + channels, 2 * channels, pixels / 2};
    struct wgrad_pairs last = {values + (pixels - 1) * channels, NULL, 0, pixels % 2};

    wgrad_pack(&whole, channel, ret_panel);
    wgrad_pack(&last, channel, ret_panel + whole.count * PANEL);
}
#endif
