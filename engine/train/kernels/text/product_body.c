/* The matrix products of one set, product.h. A panel of the packed right matrix is read from the
 * second cache while a group of rows goes by; the sums of a tile stay in registers.
 * Tested by tests/engine/train/kernels/text/product_test.c. */
#include "engine/train/kernels/text/product.h"
#include "engine/train/kernels/text/product_tile.h"
#include "engine/train/kernels/text/text_transpose.h"

#include <assert.h>
#include <stdint.h>

#ifdef CONV_STORED_BF16
#define PAIRS true
#define PER_UNIT 2
#else
#define PAIRS false
#define PER_UNIT 1
#endif
#define CACHE_LINE 64
#define UNIT 4                  /* bytes */
#define BLOCK_UNITS 1024        /* of a panel at a time: 128 KiB of the second cache */
#define PACK_PANELS 16          /* that are filled side by side */
#define GROUP_ROWS 192          /* that use a panel while it is near */
#define GROUP_BYTES (256 << 10) /* of a transposed left matrix that is packed at a time */

_Static_assert(GROUP_ROWS % TILE_ROWS == 0, "a group is whole tiles");

typedef float partial_sums[GROUP_ROWS][TILE_COLUMNS];

static long least(long a, long b)
{
    return a < b ? a : b;
}

static long units_of(long k)
{
    return (k + PER_UNIT - 1) / PER_UNIT;
}

static size_t right_bytes(long k, long n)
{
    return (size_t)(units_of(k) * ((n + TILE_COLUMNS - 1) / TILE_COLUMNS) * TILE_COLUMNS) * UNIT;
}

/* `count` numbers of a line of the right matrix as it lies in memory, at most LANES; what is
 * outside of it is 0. */
CONV_INLINE void load_right(const struct product_right *right, long line, long at, vec *ret)
{
    long lines = right->transposed ? right->n : right->k;
    long count = (right->transposed ? right->k : right->n) - at, from = line * right->stride + at;

    *ret = (vec){0};
    if (line >= lines || count <= 0)
        return;
    if (right->is_float)
        vec_load((const float *)right->numbers + from, count, ret);
    else
        stored_load((const stored *)right->numbers + from, count, ret);
}

/* Numbers that follow each other, as units that do. */
CONV_INLINE void load_units(const struct product_right *right, long line, long at, vec *ret)
{
#ifdef CONV_STORED_BF16
    stored both[2 * LANES];
    vec value;

    for (int half = 0; half < 2; half++) {
        load_right(right, line, at + half * LANES, &value);
        stored_round(&value);
        stored_put(both + half * LANES, &value);
    }
    memcpy(ret, both, sizeof *ret);
#else
    load_right(right, line, at, ret);
#endif
}

/* LANES units of LANES columns, from unit `unit` and column `column` on. */
CONV_INLINE void pack_transposed(const struct product_right *right, long unit, long column,
                                 float *ret_units)
{
    vec lines[LANES];
    long rows = least(units_of(right->k) - unit, LANES);

    for (int i = 0; i < LANES; i++)
        load_units(right, column + i, unit * PER_UNIT, &lines[i]);
    transpose(lines);
    for (int i = 0; i < rows; i++)
        VEC_STORE(ret_units + i * TILE_COLUMNS, lines[i]);
}

/* One unit of LANES columns. */
CONV_INLINE void pack_straight(const struct product_right *right, long unit, long column,
                               float *ret_units)
{
    vec value;

    load_right(right, unit * PER_UNIT, column, &value);
#ifdef CONV_STORED_BF16
    vec second;

    load_right(right, unit * PER_UNIT + 1, column, &second);
    stored_round(&value);
    stored_round(&second);
    value = (vec)((stored_bits)value >> 16 | ((stored_bits)second & 0xffff0000u));
#endif
    VEC_STORE(ret_units, value);
}

/* Some panels, side by side: lines of the matrix are read as they lie. */
static void pack_panels(const struct product_right *right, long begin, long end, float *packed)
{
    long units = units_of(right->k);

    for (long u = 0; u < units; u += right->transposed ? LANES : 1)
        for (long p = begin; p < end; p++)
            for (long c = 0; c < TILE_COLUMNS; c += LANES) {
                float *to = packed + (p * units + u) * TILE_COLUMNS + c;

                if (right->transposed)
                    pack_transposed(right, u, p * TILE_COLUMNS + c, to);
                else
                    pack_straight(right, u, p * TILE_COLUMNS + c, to);
            }
}

static void pack(const struct product_right *right, long begin, long end, void *ret_packed)
{
    long most = right->transposed ? 1 : PACK_PANELS;

    for (long p = begin; p < end; p += most)
        pack_panels(right, p, least(p + most, end), ret_packed);
}

/* Rows that go by together. */
static long group_rows(const struct product *product)
{
    long fit = GROUP_BYTES / UNIT / units_of(product->k) / TILE_ROWS * TILE_ROWS;

    if (!product->transposed || fit >= GROUP_ROWS)
        return GROUP_ROWS;
    return fit < TILE_ROWS ? TILE_ROWS : fit;
}

static size_t scratch_bytes(const struct product *product)
{
    if (!product->transposed)
        return 0;
    return (size_t)(group_rows(product) * units_of(product->k)) * UNIT;
}

/* Units of TILE_ROWS rows of a transposed left matrix; what is outside of it is 0. */
CONV_INLINE void pack_left_units(const struct product *product, long k, long row, long rows,
                                 uint32_t *ret_units)
{
    const stored *line = (const stored *)product->left + k * product->left_stride + row;
    stored numbers[PER_UNIT][TILE_ROWS] = {{0}};

    for (long i = 0; i < PER_UNIT && k + i < product->k; i++) {
        if (rows >= TILE_ROWS)
            memcpy(numbers[i], line + i * product->left_stride, sizeof numbers[i]);
        else
            memcpy(numbers[i], line + i * product->left_stride, (size_t)rows * sizeof *line);
    }
#ifdef CONV_STORED_BF16
    for (int r = 0; r < TILE_ROWS; r++)
        ret_units[r] = (uint32_t)numbers[0][r] | (uint32_t)numbers[1][r] << 16;
#else
    memcpy(ret_units, numbers, sizeof numbers);
#endif
}

/* Rows of a transposed left matrix as tiles want them: (tile, unit, TILE_ROWS). It is read line
 * by line, as it lies. */
static void pack_left(const struct product *product, long row, long rows)
{
    long units = units_of(product->k);

    for (long u = 0; u < units; u++)
        for (long first = 0; first < rows; first += TILE_ROWS)
            pack_left_units(product, u * PER_UNIT, row + first, rows - first,
                            (uint32_t *)product->scratch + first * units + u * TILE_ROWS);
}

/* One line of a tile's result. */
CONV_INLINE void end_vector(const struct product *product, long row, long column, vec value)
{
    long count = product->n - column, at = row * product->result_stride + column;
    vec other;

    if (product->bias) {
        vec_load(product->bias + column, count, &other);
        value += other;
    }
    if (product->add) {
        if (product->result_is_float)
            vec_load((const float *)product->add + at, count, &other);
        else
            stored_load((const stored *)product->add + at, count, &other);
        value += other;
    }
    if (product->end == PRODUCT_RELU) {
        value = VEC_CHOOSE(value < 0, (vec){0}, value);
    } else if (product->end == PRODUCT_GELU) {
        stored_round(&value); /* so that the slope is that of what is kept */
        if (product->kept)
            stored_store((stored *)product->kept + at, count, &value);
        value = vec_gelu(value);
    } else if (product->end != PRODUCT_PLAIN) {
        stored_load((const stored *)product->kept + at, count, &other);
        if (product->end == PRODUCT_RELU_BACK)
            value = VEC_WHERE(other > 0, value);
        else
            value *= vec_gelu_slope(other);
    }
    if (product->result_is_float)
        vec_store((float *)product->result + at, count, &value);
    else
        stored_store((stored *)product->result + at, count, &value);
}

/* A block of units of one tile. */
struct block {
    const struct product *product;
    struct tile_left left;
    const float *right;
    long units;
    bool half; /* the last unit has one number only */
    bool first, last;
    long row, column;
    float (*partial)[TILE_COLUMNS]; /* of the tile's first row */
};

/* The last unit of rows of an odd length, of which the second number is not theirs. */
CONV_INLINE void multiply_half(const struct block *block, const int rows, tile sums)
{
    uint16_t units[TILE_ROWS][2] = {0};
    struct tile_left left = {(const char *)units, UNIT, 0};

    for (int r = 0; r < rows; r++)
        memcpy(units[r], block->left.first + r * block->left.row + block->units * UNIT,
               sizeof units[r][0]);
    tile_multiply(&left, (struct tile_right){block->right + block->units * TILE_COLUMNS, 0}, 1,
                  rows, PAIRS, sums);
}

/* Asks for the place of the result, which is in no cache where it is a large matrix. */
CONV_INLINE void ask_for_result(const struct block *block, const int rows)
{
    const struct product *product = block->product;
    long number = product->result_is_float ? (long)sizeof(float) : (long)sizeof(stored);
    char *to =
        (char *)product->result + (block->row * product->result_stride + block->column) * number;

    for (int r = 0; r < rows; r++)
        for (long at = 0; at < TILE_COLUMNS * number; at += CACHE_LINE)
            __builtin_prefetch(to + r * product->result_stride * number + at, 1);
}

CONV_INLINE void run_tile(const struct block *block, const int rows)
{
    tile sums;

    if (block->last)
        ask_for_result(block, rows);
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < TILE_WIDE; v++)
            sums[r][v] = block->first ? (vec){0} : VEC_LOAD(block->partial[r] + v * LANES);
    tile_multiply(&block->left, (struct tile_right){block->right, TILE_COLUMNS}, block->units,
                  rows, PAIRS, sums);
    if (PAIRS && block->half)
        multiply_half(block, rows, sums);
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < TILE_WIDE; v++)
            if (!block->last)
                VEC_STORE(block->partial[r] + v * LANES, sums[r][v]);
            else if (block->column + v * LANES < block->product->n)
                end_vector(block->product, block->row + r, block->column + v * LANES, sums[r][v]);
}

#define TILE_RUN(rows)                                                                           \
    static void run_tile_##rows(const struct block *block)                                       \
    {                                                                                            \
        run_tile(block, rows);                                                                   \
    }
TILE_RUN(1)
TILE_RUN(2)
TILE_RUN(4)
#if TILE_ROWS == 12
TILE_RUN(8)
TILE_RUN(12)
#else
TILE_RUN(6)
#endif

static const struct {
    int rows;
    void (*run)(const struct block *block);
} tiles[] = {
#if TILE_ROWS == 12
    {12, run_tile_12}, {8, run_tile_8},
#else
    {6, run_tile_6},
#endif
    {4, run_tile_4},   {2, run_tile_2}, {1, run_tile_1},
};

/* One tile's rows, by the largest tiles that fit. */
static void run_rows(struct block block, long rows)
{
    for (int i = 0; rows > 0; i++)
        for (; rows >= tiles[i].rows; rows -= tiles[i].rows) {
            tiles[i].run(&block);
            block.left.first += tiles[i].rows * block.left.row;
            block.row += tiles[i].rows;
            block.partial += tiles[i].rows;
        }
}

static struct tile_left left_of(const struct product *product, long group, long row)
{
    if (product->transposed)
        return (struct tile_left){(const char *)product->scratch +
                                      (row - group) * units_of(product->k) * UNIT,
                                  UNIT, TILE_ROWS * UNIT};
    return (struct tile_left){
        (const char *)((const stored *)product->left + row * product->left_stride),
        product->left_stride * (long)sizeof(stored), UNIT};
}

/* One panel of a group of rows. */
static void run_panel(const struct product *product, long panel, long group, long rows,
                      partial_sums partial)
{
    long units = units_of(product->k);
    const float *right = (const float *)product->right + panel * units * TILE_COLUMNS;
    bool half = !product->transposed && product->k % PER_UNIT != 0;

    for (long u = 0; u < units; u += BLOCK_UNITS) {
        bool last = u + BLOCK_UNITS >= units;
        long count = last ? units - u : BLOCK_UNITS;

        for (long r = 0; r < rows; r += TILE_ROWS) {
            struct block block = {
                .product = product,
                .left = left_of(product, group, group + r),
                .right = right + u * TILE_COLUMNS,
                .half = last && half,
                .units = count - (last && half),
                .first = u == 0,
                .last = last,
                .row = group + r,
                .column = panel * TILE_COLUMNS,
                .partial = partial + r,
            };

            block.left.first += u * block.left.step;
            run_rows(block, least(rows - r, TILE_ROWS));
        }
    }
}

static void run(const struct product *product, struct product_part part)
{
    partial_sums partial;
    long most = group_rows(product);

    assert(product->k > 0);
    for (long row = part.row_begin; row < part.row_end; row += most) {
        long rows = least(part.row_end - row, most);

        if (product->transposed)
            pack_left(product, row, rows);
        for (long panel = part.panel_begin; panel < part.panel_end; panel++)
            run_panel(product, panel, row, rows, partial);
    }
}

extern const struct product_kernel TEXT_NAME(product);
const struct product_kernel TEXT_NAME(product) = {
    .panel = TILE_COLUMNS,
    .right_bytes = right_bytes,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .run = run,
};
