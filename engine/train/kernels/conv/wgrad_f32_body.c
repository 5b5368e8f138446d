/* Products of pixels in f32, for wgrad_strip.h. CMake compiles this file for each instruction
 * set: WGRAD_NAME, VEC_BYTES; and WGRAD_ROWS rows of the result that are taken at a time,
 * with WGRAD_WIDE vectors of its columns: so many sums stay in registers while the pixels go by,
 * each number of a row broadcast once. Tested by tests/engine/train/kernels/wgrad_test.c. */
#include "engine/train/kernels/vec.h"
#include "engine/train/kernels/wgrad_kinds.h"
#include "engine/train/kernels/wgrad_strip.h"

#define WIDTH (WGRAD_WIDE * VEC_LANES)
#define REST (PANEL % WGRAD_ROWS)
_Static_assert(PANEL % WIDTH == 0, "a panel is whole blocks of columns");

/* `rows` rows from `row` on, WIDTH columns from `column` on. */
VEC_INLINE void multiply_block(const struct wgrad_strip_product *product, const int rows,
                               long first_row, long first_column)
{
    const struct wgrad_tap *tap = &product->tap;
    float *to = product->sums + first_row * product->stride + first_column;
    vec sums[WGRAD_ROWS][WGRAD_WIDE];

#pragma GCC unroll 11
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < WGRAD_WIDE; v++) {
            sums[r][v] = (vec){0};
            /* They are wanted at the end: by then they are here. */
            __builtin_prefetch(to + r * product->stride + v * VEC_LANES, 1);
        }
    for (long s = 0; s < tap->span_count; s++) {
        const float *row = (const float *)product->rows +
                           (tap->spans[s].row + tap->row_shift) * PANEL + first_row;
        const float *column = (const float *)product->columns +
                              (tap->spans[s].column + tap->column_shift) * PANEL + first_column;

        for (long i = 0; i < tap->width; i++, row += PANEL, column += product->column_step) {
            vec numbers[WGRAD_WIDE];

            for (int v = 0; v < WGRAD_WIDE; v++)
                numbers[v] = VEC_LOAD(column + v * VEC_LANES);
#pragma GCC unroll 11
            for (int r = 0; r < rows; r++) {
                vec all = VEC_ALL(row[r]);

                for (int v = 0; v < WGRAD_WIDE; v++)
                    sums[r][v] = VEC_FMA(all, numbers[v], sums[r][v]);
            }
        }
    }
#pragma GCC unroll 11
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < WGRAD_WIDE; v++) {
            float *at = to + r * product->stride + v * VEC_LANES;

            VEC_STORE(at, product->accumulate ? VEC_LOAD(at) + sums[r][v] : sums[r][v]);
        }
}

static void wgrad_f32_multiply(const struct wgrad_strip_product *product)
{
    for (long column = 0; column < PANEL; column += WIDTH) {
        for (long row = 0; row < PANEL - REST; row += WGRAD_ROWS)
            multiply_block(product, WGRAD_ROWS, row, column);
        multiply_block(product, REST, PANEL - REST, column);
    }
}

static void wgrad_f32_pack(const struct wgrad_pairs *pairs, long channel, void *ret_panel)
{
    const float *from = pairs->first;
    float *to = ret_panel;

    if (!from) {
        memset(to, 0, (size_t)(pairs->count * PANEL) * sizeof *to);
        return;
    }
    from += channel;
    for (long i = 0; i < pairs->count; i++, from += pairs->step, to += PANEL)
        for (long v = 0; v < PANEL; v += VEC_LANES)
            VEC_STORE(to + v, VEC_LOAD(from + v));
}

static void pack_pixels(const void *values, long pixels, long channels, long channel,
                        void *ret_panel)
{
    wgrad_f32_pack(&(struct wgrad_pairs){values, NULL, channels, pixels}, channel, ret_panel);
}

static const struct wgrad_strip_kind kind = {WGRAD_STRIP, wgrad_f32_pack, pack_pixels,
                                             wgrad_f32_multiply};

#define NAME_OF(name, what) name##what
#define NAME(name, what) NAME_OF(name, what)

size_t NAME(WGRAD_NAME, _scratch)(const struct wgrad_shape *shape)
{
    return wgrad_strip_scratch(shape, &kind);
}

void NAME(WGRAD_NAME, _run)(const struct wgrad_shape *shape, const struct wgrad_memory *memory)
{
    wgrad_strip_run(shape, memory, &kind);
}
