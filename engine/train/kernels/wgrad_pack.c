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
    if (shape->images % 2 == 0)
        return (struct wgrad_pairing){shape->images / 2, shape->out_size, 2};
    return (struct wgrad_pairing){shape->images, (shape->out_size + 1) / 2, 1};
}

/* NULL outside of the image. */
static const uint16_t *image_row(const uint16_t *images, long image, long row, long size,
                                 long channels)
{
    if (row < 0 || row >= size)
        return NULL;
    return images + (image * size + row) * size * channels;
}

struct wgrad_pairs wgrad_output_row(const struct wgrad_shape *shape, const uint16_t *gradient,
                                    long group, long row)
{
    struct wgrad_pairing by = wgrad_pairing(shape);
    long size = shape->out_size, channels = shape->out_channels, image = group * by.images;
    long down = by.images == 1 ? by.rows : 0;

    return (struct wgrad_pairs){
        image_row(gradient, image, row, size, channels),
        image_row(gradient, image + by.images - 1, row + down, size, channels), channels, size};
}

struct wgrad_pairs wgrad_input_row(const struct wgrad_shape *shape, const uint16_t *input,
                                   long group, long row)
{
    struct wgrad_pairing by = wgrad_pairing(shape);
    long size = shape->in_size, channels = shape->in_channels, image = group * by.images;
    long down = by.images == 1 ? by.rows * shape->stride : 0;

    return (struct wgrad_pairs){
        image_row(input, image, row, size, channels),
        image_row(input, image + by.images - 1, row + down, size, channels), channels, size};
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
    const uint16_t *first = pairs->first ? pairs->first + channel : zeros;
    const uint16_t *second = pairs->second ? pairs->second + channel : zeros;
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
