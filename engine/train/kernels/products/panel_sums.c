/* Tested by tests/engine/train/kernels/products/panel_sums_test.c. */
#include "engine/train/kernels/products/panel_sums.h"

#include "engine/train/kernels/products/matrix_product.h"
#include "engine/train/kernels/vec_block.h"

#include <assert.h>

#define ROWS VEC_BLOCK
#define PANEL PANEL_SUMS_COLUMNS
#define NEAR_NUMBERS 4096L /* of the left operand that is read across: part of a L1 cache */
#define NEAR_ROWS 128L

_Static_assert(PANEL == VEC_PANEL, "a panel is what stays in registers");

/* Lines of rows, `pitch` numbers from a line to the next: (n / PANEL, lines * width, PANEL). */
static void pack_lines(const float *from, long pitch, long lines, long width, long n,
                       float *ret_packed)
{
    for (long column = 0; column < n; column += PANEL)
        for (long line = 0; line < lines; line++)
            for (long row = 0; row < width; row++, ret_packed += PANEL)
                memcpy(ret_packed, from + line * pitch + row * n + column,
                       PANEL * sizeof *ret_packed);
}

void panel_sums_pack(const float *right, long rows, long n, float *ret_packed)
{
    pack_lines(right, 0, 1, rows, n, ret_packed);
}

VEC_INLINE void store_block(float *const to[ROWS], vec sums[ROWS][VEC_WIDE], long count,
                            bool adds)
{
    for (long r = 0; r < count; r++)
        for (int v = 0; v < VEC_WIDE; v++) {
            float *at = to[r] + v * VEC_LANES;

            VEC_STORE(at, adds ? VEC_LOAD(at) + sums[r][v] : sums[r][v]);
        }
}

/* One panel of some rows of the result, all terms. Rows behind the last are computed as the last
 * one, and not stored. */
VEC_INLINE void run_rows(const struct panel_sums *sums, long row, long column, long count)
{
    const float *panel = sums->right + column * sums->terms * sums->k;
    float *to[ROWS];
    long places[ROWS];

    for (int r = 0; r < ROWS; r++) {
        long at = row + least_of(r, count - 1);

        places[r] = at / sums->width * sums->pitch + at % sums->width * sums->stride;
        to[r] = sums->result + at * sums->n + column;
    }
    for (long term = 0; term < sums->terms; term++, panel += sums->k * PANEL) {
        vec of_term[ROWS][VEC_WIDE];
        const float *rows[ROWS];

        block_clear(of_term);
        for (int r = 0; r < ROWS; r++)
            rows[r] = sums->left + sums->shifts[term] + places[r];
        block_multiply(rows, 1, sums->k, panel, of_term);
        store_block(to, of_term, count, term > 0);
    }
}

void panel_sums_run(const struct panel_sums *sums)
{
    long rows = sums->lines * sums->width, whole = rows / ROWS * ROWS;

    assert(sums->n % PANEL == 0);
    for (long column = 0; column < sums->n; column += PANEL) {
        for (long row = 0; row < whole; row += ROWS)
            run_rows(sums, row, column, ROWS);
        if (whole < rows)
            run_rows(sums, whole, column, rows - whole);
    }
}

/* Lines whose rows of the left operand stay near. */
static long near_lines(long width, long stride)
{
    long rows = least_of(NEAR_NUMBERS / stride, NEAR_ROWS);

    return rows < width ? 1 : rows / width;
}

size_t panel_sums_scratch(long width, long n)
{
    return (size_t)((width > NEAR_ROWS ? width : NEAR_ROWS) * n);
}

/* Some lines of the operands, whose right one is packed. */
struct near {
    long line, lines;
    const float *right;
};

/* ROWS rows of the result, from row `first` on, which are columns of left operands. */
VEC_INLINE void run_across(const struct panel_sums *sums, const struct near *near, long first,
                           long count)
{
    const float *begins[ROWS], *panel = near->right;

    for (int r = 0; r < ROWS; r++) {
        long at = first + least_of(r, count - 1);

        begins[r] =
            sums->left + near->line * sums->pitch + sums->shifts[at / sums->k] + at % sums->k;
    }
    for (long column = 0; column < sums->n; column += PANEL) {
        vec found[ROWS][VEC_WIDE];
        float *to[ROWS];

        block_clear(found);
        for (long line = 0; line < near->lines; line++, panel += sums->width * PANEL) {
            const float *rows[ROWS];

            for (int r = 0; r < ROWS; r++)
                rows[r] = begins[r] + line * sums->pitch;
            block_multiply(rows, sums->stride, sums->width, panel, found);
        }
        for (int r = 0; r < ROWS; r++)
            to[r] = sums->result + (first + least_of(r, count - 1)) * sums->n + column;
        store_block(to, found, count, true);
    }
}

void panel_sums_run_back(const struct panel_sums *sums, long right_pitch, float *scratch)
{
    long rows = sums->terms * sums->k, whole = rows / ROWS * ROWS;
    long most = near_lines(sums->width, sums->stride);

    assert(sums->n % PANEL == 0);
    for (long line = 0; line < sums->lines; line += most) {
        const struct near near = {line, least_of(sums->lines - line, most), scratch};

        pack_lines(sums->right + line * right_pitch, right_pitch, near.lines, sums->width,
                   sums->n, scratch);
        for (long first = 0; first < whole; first += ROWS)
            run_across(sums, &near, first, ROWS);
        if (whole < rows)
            run_across(sums, &near, whole, rows - whole);
    }
}
