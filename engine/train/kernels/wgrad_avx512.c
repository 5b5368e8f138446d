/* Products of bf16 pairs in vector registers. The result's rows are taken eleven at a time, with
 * two vectors of its columns: 22 sums stay in registers while the pairs go by, each pair of a row
 * broadcast once and used twice. Tested by tests/engine/train/kernels/wgrad_test.c. */
#include "engine/train/kernels/wgrad_kinds.h"
#include "engine/train/kernels/wgrad_strip.h"

#ifdef __x86_64__
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define VECTOR 16
#define ROWS 11
_Static_assert(PANEL % VECTOR == 0, "a panel is whole vectors");

static inline __attribute__((always_inline)) TARGET void
multiply(const struct wgrad_strip_product *product, const int rows)
{
    const struct wgrad_tap *tap = &product->tap;
    float *to = product->sums;
    __m512 sums[ROWS][2];

#pragma GCC unroll 11
    for (int r = 0; r < rows; r++) {
        sums[r][0] = sums[r][1] = _mm512_setzero_ps();
        /* They are wanted at the end: by then they are here. */
        _mm_prefetch((const char *)(to + r * product->stride), _MM_HINT_T0);
        _mm_prefetch((const char *)(to + r * product->stride + VECTOR), _MM_HINT_T0);
    }
    for (long s = 0; s < tap->span_count; s++) {
        const uint32_t *row =
            (const uint32_t *)product->rows + (tap->spans[s].row + tap->row_shift) * PANEL;
        const uint32_t *column = (const uint32_t *)product->columns +
                                 (tap->spans[s].column + tap->column_shift) * PANEL;

        for (long i = 0; i < tap->width; i++) {
            __m512bh left = (__m512bh)_mm512_load_si512(column);
            __m512bh right = (__m512bh)_mm512_load_si512(column + VECTOR);

#pragma GCC unroll 11
            for (int r = 0; r < rows; r++) {
                __m512bh pair = (__m512bh)_mm512_set1_epi32((int)row[r]);

                sums[r][0] = _mm512_dpbf16_ps(sums[r][0], left, pair);
                sums[r][1] = _mm512_dpbf16_ps(sums[r][1], right, pair);
            }
            row += PANEL;
            column += product->column_step;
        }
    }
    if (product->accumulate) {
#pragma GCC unroll 11
        for (int r = 0; r < rows; r++) {
            const float *from = to + r * product->stride;

            sums[r][0] = _mm512_add_ps(sums[r][0], _mm512_loadu_ps(from));
            sums[r][1] = _mm512_add_ps(sums[r][1], _mm512_loadu_ps(from + VECTOR));
        }
    }
#pragma GCC unroll 11
    for (int r = 0; r < rows; r++) {
        _mm512_storeu_ps(to + r * product->stride, sums[r][0]);
        _mm512_storeu_ps(to + r * product->stride + VECTOR, sums[r][1]);
    }
}

static TARGET void multiply_eleven(const struct wgrad_strip_product *product)
{
    multiply(product, 11);
}

static TARGET void multiply_ten(const struct wgrad_strip_product *product)
{
    multiply(product, 10);
}

/* Moves on to the rows behind the first `rows`. */
static void skip_rows(struct wgrad_strip_product *product, long rows)
{
    product->rows = (const uint32_t *)product->rows + rows;
    product->sums += rows * product->stride;
}

/* 32 = 11 + 11 + 10. */
static void multiply_panels(const struct wgrad_strip_product *whole)
{
    struct wgrad_strip_product product = *whole;

    multiply_eleven(&product);
    skip_rows(&product, 11);
    multiply_eleven(&product);
    skip_rows(&product, 11);
    multiply_ten(&product);
}

static void wgrad_avx512_pack(const struct wgrad_pairs *pairs, long channel, void *ret_panel)
{
    wgrad_pack(pairs, channel, ret_panel);
}

static void pack_pixels(const void *values, long pixels, long channels, long channel,
                        void *ret_panel)
{
    wgrad_pack_pixels(values, pixels, channels, channel, ret_panel);
}

static const struct wgrad_strip_kind kind = {512, wgrad_avx512_pack, pack_pixels,
                                             multiply_panels};

size_t wgrad_avx512_scratch(const struct wgrad_shape *shape)
{
    return wgrad_strip_scratch(shape, &kind);
}

void wgrad_avx512_run(const struct wgrad_shape *shape, const struct wgrad_memory *memory)
{
    wgrad_strip_run(shape, memory, &kind);
}
#endif
