/* A part of the right operand is packed into panels of PANEL columns. Some rows of the left one
 * stay in the second cache while all panels go by, and a panel stays in the first cache while
 * these rows go by, ROWS at a time, whose sums with it stay in registers. Rows of the left
 * operand are read as they lie, and are packed where it is transposed. Tested by
 * tests/engine/train/kernels/products/product_panels_test.c. */
#include "engine/train/kernels/products/product_panels.h"

#include "engine/train/kernels/vec_block.h"

#include <assert.h>

#define ROWS VEC_BLOCK
#define PANEL VEC_PANEL
#define DEPTH_MAX 304L /* that is summed in registers before it goes to memory */
#define LEFT_ROWS (16L * ROWS)
#define RIGHT_NUMBERS (256L << 10)
#define LINES_NUMBERS (128L << 10) /* of a transposed one, whose lines are read together */
#define COLUMNS_LEAST 192L         /* that are packed at a time */
#define AHEAD 8                    /* lines of memory that are asked for while they are packed */

_Static_assert(VEC_LANES == 8, "panels are packed by squares of eight numbers");

struct scratch {
    float right[RIGHT_NUMBERS];
    float left[LEFT_ROWS * DEPTH_MAX];
};

/* A block of the depth. */
struct depth {
    long begin, count;
};

/* Pieces of about the same length, `most` at the most, a multiple of `grain`. */
static long cut_evenly(long count, long most, long grain)
{
    long pieces = (count + most - 1) / most;

    return (count + pieces * grain - 1) / (pieces * grain) * grain;
}

static long depth_of(const struct matrix_product *product)
{
    return cut_evenly(product->k, DEPTH_MAX, 8);
}

/* All blocks of the depth, the last one filled up. */
static long whole_depth_of(const struct matrix_product *product)
{
    return cut_evenly(product->k, product->k, depth_of(product));
}

static struct depth depth_at(const struct matrix_product *product, long begin)
{
    return (struct depth){begin, least_of(product->k - begin, depth_of(product))};
}

VEC_INLINE void transpose8(vec rows[8])
{
    vec pairs[8], fours[8];

    for (int i = 0; i < 8; i += 2) {
        pairs[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int half = 0; half < 2; half++) {
            vec a = pairs[i + half], b = pairs[i + 2 + half];

            fours[i + 2 * half] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
            fours[i + 2 * half + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; i++) {
        rows[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        rows[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* Up to eight columns of a transposed operand, which lie in as many lines, and zeros behind them.
 */
static void pack_lines(const float *from, long stride, long columns, long depth, float *to)
{
    long k = 0;

    for (; columns == 8 && k + 8 <= depth; k += 8) {
        vec square[8];

        for (int i = 0; i < 8; i++)
            square[i] = VEC_LOAD(from + i * stride + k);
        for (int i = 0; i < 8; i++)
            __builtin_prefetch(from + (i + 8) * stride + k); /* the lines that are packed next */
        transpose8(square);
        for (int i = 0; i < 8; i++)
            VEC_STORE(to + (k + i) * PANEL, square[i]);
    }
    for (; k < depth; k++)
        for (long i = 0; i < 8; i++)
            to[k * PANEL + i] = i < columns ? from[i * stride + k] : 0;
}

/* Panels of the right operand, each [depth][PANEL], with zeros behind the last column. */
static void pack_columns(const struct matrix_product *product, struct depth depth, long begin,
                         long end, float *to)
{
    long stride = product->right.stride;
    const float *from = product->right.numbers;

    if (product->right.transposed) {
        for (long column = begin; column < end; column += PANEL, to += depth.count * PANEL)
            for (long i = 0; i < PANEL; i += 8)
                pack_lines(from + (column + i) * stride + depth.begin, stride,
                           least_of(end - column - i, 8), depth.count, to + i);
        return;
    }
    from += depth.begin * stride;
    for (long k = 0; k < depth.count; k++, from += stride, to += PANEL) {
        float *line = to;
        long column = begin;

        for (; column + PANEL <= end; column += PANEL, line += depth.count * PANEL) {
            __builtin_prefetch(from + AHEAD * stride + column);
            memcpy(line, from + column, PANEL * sizeof *line);
        }
        if (column < end) {
            memset(line, 0, PANEL * sizeof *line);
            memcpy(line, from + column, (size_t)(end - column) * sizeof *line);
        }
    }
}

/* The same of several blocks of the depth. */
static void pack_depth(const struct matrix_product *product, struct depth depth, long begin,
                       long end, float *to)
{
    long columns = (end - begin + PANEL - 1) / PANEL * PANEL, k = depth.begin;

    while (k < depth.begin + depth.count) {
        const struct depth block = depth_at(product, k);

        pack_columns(product, block, begin, end, to);
        to += block.count * columns;
        k += block.count;
    }
}

/* Rows of the left operand: [rows / ROWS][depth][ROWS], with anything behind the last. */
static void pack_left(const struct matrix_operand *left, struct depth depth, long row, long rows,
                      float *to)
{
    const float *from = (const float *)left->numbers + depth.begin * left->stride + row;

    for (long k = 0; k < depth.count; k++, from += left->stride) {
        float *line = to + k * ROWS;
        long r = 0;

        for (long ahead = 0; ahead < rows; ahead += 16)
            __builtin_prefetch(from + AHEAD * left->stride + ahead);
        for (; r + ROWS <= rows; r += ROWS, line += depth.count * ROWS)
            memcpy(line, from + r, ROWS * sizeof *line);
        if (r < rows)
            memcpy(line, from + r, (size_t)(rows - r) * sizeof *line);
    }
}

/* Some rows and columns of the result, and one block of the depth. */
struct block {
    const struct matrix_product *product;
    struct depth depth;
    long row, rows, column, columns;
    /* The rows of the left operand: packed, ROWS together, or as they lie, `line` apart. */
    const float *left;
    long line;          /* 0: packed */
    const float *right; /* packed */
    bool adds;
};

/* ROWS rows of the result with one panel. */
struct place {
    float *result;
    long stride, columns, depth; /* columns: as many as there are */
    bool adds;
};

VEC_INLINE void store_row(const struct place *place, long row, const vec sums[VEC_WIDE])
{
    float *to = place->result + row * place->stride, line[PANEL];

    if (place->columns == PANEL) {
        for (int v = 0; v < VEC_WIDE; v++) {
            float *at = to + v * VEC_LANES;

            VEC_STORE(at, place->adds ? VEC_LOAD(at) + sums[v] : sums[v]);
        }
        return;
    }
    memcpy(line, sums, sizeof line);
    for (long c = 0; c < place->columns; c++)
        to[c] = place->adds ? to[c] + line[c] : line[c];
}

/* Rows behind the last of `count` are computed as the last one, and not stored. */
VEC_INLINE void multiply_rows(const float *left, long line, long step, const float *panel,
                              const struct place *place, long count)
{
    vec sums[ROWS][VEC_WIDE];
    const float *rows[ROWS];

    block_clear(sums);
    for (int r = 0; r < ROWS; r++) {
        long row = least_of(r, count - 1);

        rows[r] = left + row * line;
        /* It may be in no cache, and is needed when the sums are complete. */
        __builtin_prefetch(place->result + row * place->stride, 1);
    }
    block_multiply(rows, step, place->depth, panel, sums);
    for (long r = 0; r < count; r++)
        store_row(place, r, sums[r]);
}

/* `line` and `step`: numbers from a row of the left operand to the next, and from a column. */
VEC_INLINE void run_panel(const struct block *block, const float *panel, struct place place,
                          long line, long step)
{
    long whole = block->rows / ROWS * ROWS,
         block_step = step == 1 ? ROWS * line : ROWS * place.depth;
    const float *left = block->left;

    for (long row = 0; row < whole; row += ROWS, left += block_step) {
        multiply_rows(left, line, step, panel, &place, ROWS);
        place.result += ROWS * place.stride;
    }
    if (whole < block->rows)
        multiply_rows(left, line, step, panel, &place, block->rows - whole);
}

static void run_block(const struct block *block)
{
    const float *panel = block->right;
    long stride = block->product->result_stride;
    long line = block->product->passes ? 0 : block->row;
    struct place place = {.result = block->product->result + line * stride + block->column,
                          .stride = stride,
                          .depth = block->depth.count,
                          .adds = block->adds};

    for (long column = 0; column < block->columns; column += PANEL) {
        place.columns = least_of(block->columns - column, PANEL);
        if (block->line)
            run_panel(block, panel, place, block->line, 1);
        else
            run_panel(block, panel, place, 1, ROWS);
        panel += block->depth.count * PANEL;
        place.result += PANEL;
    }
}

static void take_left(struct block *block, float *packed)
{
    const struct matrix_operand *left = &block->product->left;
    const float *numbers = left->numbers;

    block->left = packed;
    if (left->transposed) {
        pack_left(left, block->depth, block->row, block->rows, packed);
        return;
    }
    block->left = numbers + block->row * left->stride + block->depth.begin;
    block->line = left->stride;
}

/* Some rows and columns of the result. */
static void run_blocks(struct block *block, struct depth depth)
{
    const struct matrix_product *product = block->product;
    struct scratch *scratch = product->scratch;
    long columns = (block->columns + PANEL - 1) / PANEL * PANEL;

    for (long k = depth.begin; k < depth.begin + depth.count; k += block->depth.count) {
        block->depth = depth_at(product, k);
        block->right = (product->packed ? (const float *)product->packed : scratch->right) +
                       (k - depth.begin) * columns;
        block->adds = product->adds || k > 0;
        take_left(block, scratch->left);
        run_block(block);
    }
}

/* Some columns of the result, and several blocks of the depth. */
static void run_columns(const struct matrix_product *product, struct depth depth, long begin,
                        long end)
{
    struct block block = {.product = product, .column = begin, .columns = end - begin};

    if (!product->packed)
        pack_depth(product, depth, begin, end, ((struct scratch *)product->scratch)->right);
    for (; block.row < product->m; block.row += LEFT_ROWS) {
        block.rows = least_of(product->m - block.row, LEFT_ROWS);
        run_blocks(&block, depth);
        if (product->ready && depth.begin + depth.count == product->k)
            product->ready(product->user, (struct matrix_part){block.row, block.rows,
                                                               block.column, block.columns});
    }
}

/* Columns and depth of the right operand that are packed at a time. */
struct together {
    long wide, deep;
};

/* Few columns of the whole depth rather than many of a part of it: so the sums that are added to
 * stay in a cache. */
static struct together together_of(const struct matrix_product *product)
{
    long block = depth_of(product);
    bool by_lines = product->right.transposed && !product->packed;
    long numbers = by_lines ? LINES_NUMBERS : RIGHT_NUMBERS;
    long most = most_of(numbers / whole_depth_of(product) / PANEL * PANEL, COLUMNS_LEAST);
    long wide = cut_evenly(product->n, most, PANEL);

    return (struct together){wide, numbers / wide / block * block};
}

static long panels_rows_passed(const struct matrix_product *product)
{
    return product->k <= together_of(product).deep ? LEFT_ROWS : 0;
}

static void product_panels_run(const struct matrix_product *product)
{
    const struct together together = together_of(product);

    assert(!product->passes || panels_rows_passed(product) > 0);
    for (long column = 0; column < product->n; column += together.wide)
        for (long k = 0; k < product->k; k += together.deep)
            run_columns(product, (struct depth){k, least_of(product->k - k, together.deep)},
                        column, least_of(column + together.wide, product->n));
}

/* Measured on Zen 3, against oneDNN 2.6. Packing must pay: it does where the left operand is
 * transposed, which the library packs as well, and where each packed number is used often. */
static bool panels_are_faster(const struct matrix_product *product, bool packed)
{
    long m = product->m, n = product->n, k = product->k;

    if (packed)
        return m >= 8 && k >= 32 && n >= 64;
    if (k < 64 || m < 64 || m * n < (12L << 10))
        return false;
    return product->left.transposed || n >= 1024 || (m >= 128 && n >= 256 && k >= 256);
}

/* Of an operand that is used as one piece. */
static size_t panels_bytes(const struct matrix_product *product)
{
    long depth = whole_depth_of(product);
    long columns = (product->n + PANEL - 1) / PANEL * PANEL;

    return depth * columns > RIGHT_NUMBERS ? 0 : (size_t)(depth * columns) * sizeof(float);
}

static void panels_pack(const struct matrix_product *product, void *ret_packed)
{
    pack_depth(product, (struct depth){0, product->k}, 0, product->n, ret_packed);
}

const struct product_kernel product_panels = {.scratch_bytes = sizeof(struct scratch),
                                              .is_faster = panels_are_faster,
                                              .packed_bytes = panels_bytes,
                                              .pack = panels_pack,
                                              .rows_passed = panels_rows_passed,
                                              .run = product_panels_run};
