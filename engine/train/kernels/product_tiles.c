/* A block of the right operand, up to RIGHT_NUMBERS, is packed and stays in the second cache with
 * its columns of the result, while 32 rows of the left one after another go by. Each of these is
 * read as it lies where it can be, else packed too: where it is transposed, ends inside a tile,
 * or has fewer rows than a tile. Tested by tests/engine/train/kernels/product_tiles_test.c. */
#include "engine/train/kernels/product_tiles.h"

#ifdef __x86_64__
#include "engine/train/kernels/transpose16.h"
#include "engine/train/kernels/wgrad_tiles.h"

#include <immintrin.h>
#include <string.h>

#define PACK_TARGET __attribute__((target("avx512f,avx512bw")))

#define TILE 16L          /* rows of a tile, and columns of sums */
#define DEEP 32L          /* numbers of the depth in a tile */
#define BLOCK (2 * TILE)  /* rows and columns of four tiles of sums */
#define TILE_NUMBERS 512L /* of bf16 */
#define TILE_BYTES 64L    /* of a row */
#define DEPTH_MAX 384L    /* that is summed in tiles before it goes to memory */
#define RIGHT_NUMBERS (288L << 10)

/* A block of the depth: which numbers of k, and how many tiles deep it is. */
struct depth {
    long begin, count, tiles;
};

#define PARTS 3L /* of bf16 make a number of f32 */

_Static_assert(DEPTH_MAX % (PARTS * DEEP) == 0, "whole tiles");
_Static_assert(RIGHT_NUMBERS / DEPTH_MAX >= BLOCK, "a panel fits");

struct scratch {
    uint16_t left[BLOCK * DEPTH_MAX]; /* the first cache holds it */
    float sums[BLOCK * BLOCK];
    uint16_t right[RIGHT_NUMBERS];
};

size_t product_tiles_scratch(void)
{
    return sizeof(struct scratch);
}

static long parts_of(const struct tile_product *product)
{
    return product->is_f32 ? PARTS : 1;
}

static long depth_max(const struct tile_product *product)
{
    return DEPTH_MAX / parts_of(product);
}

static long least(long a, long b)
{
    return a < b ? a : b;
}

static PACK_TARGET __mmask32 mask_of(long count)
{
    return count >= 32 ? ~(__mmask32)0 : count <= 0 ? 0 : ((__mmask32)1 << count) - 1;
}

/* 32 numbers of a line from `at` on; zeros behind `count` of them, or where there is no line. */
static PACK_TARGET __m512i load_line(const struct tile_operand *operand, long line, long lines,
                                     long at, long count)
{
    if (line >= lines)
        return _mm512_setzero_si512();
    return _mm512_maskz_loadu_epi16(mask_of(count), (const uint16_t *)operand->numbers +
                                                        line * operand->stride + at);
}

/* Two lines become pairs: of their first 16 numbers and of their last. */
static PACK_TARGET void pair_lines(__m512i first, __m512i second, __m512i ret_pairs[2])
{
    const __m512i low =
        _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38,
                         6, 37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
    const __m512i high = _mm512_add_epi16(low, _mm512_set1_epi16(16));

    ret_pairs[0] = _mm512_permutex2var_epi16(first, low, second);
    ret_pairs[1] = _mm512_permutex2var_epi16(first, high, second);
}

/* Two tiles of pairs: 32 lines from `line` on, as [16 pairs of lines][16 numbers][2], the first
 * 16 of 32 numbers and then the others. */
static PACK_TARGET void pair_block(const struct tile_operand *operand, long line, long lines,
                                   long at, long count, __m512i ret_tiles[2][TILE])
{
    for (long i = 0; i < TILE; i++) {
        __m512i pairs[2];

        pair_lines(load_line(operand, line + 2 * i, lines, at, count),
                   load_line(operand, line + 2 * i + 1, lines, at, count), pairs);
        ret_tiles[0][i] = pairs[0];
        ret_tiles[1][i] = pairs[1];
    }
}

static PACK_TARGET void store_tile(const __m512i rows[TILE], uint16_t *to, long stride)
{
    for (long i = 0; i < TILE; i++)
        _mm512_storeu_si512(to + i * stride, rows[i]);
}

/* 32 columns of the right operand: [depth in tiles][two tiles][16 pairs][16 columns][2]. */
static PACK_TARGET void pack_right(const struct tile_product *product, struct depth depth,
                                   long column, uint16_t *to)
{
    const struct tile_operand *right = &product->right;
    long end = depth.begin + depth.count;

    for (long k = depth.begin; k < end; k += DEEP, to += 2 * TILE_NUMBERS) {
        __m512i tiles[2][TILE];

        if (right->transposed) {
            for (long half = 0; half < 2; half++) {
                for (long i = 0; i < TILE; i++)
                    tiles[half][i] = load_line(right, column + half * TILE + i, product->n, k,
                                               least(end - k, DEEP));
                transpose16(tiles[half]);
            }
        } else {
            pair_block(right, k, end, column, product->n - column, tiles);
        }
        store_tile(tiles[0], to, DEEP);
        store_tile(tiles[1], to + TILE_NUMBERS, DEEP);
    }
}

/* 32 rows of the left operand: (rows, depth in tiles * 32), with zeros around what there is. */
static PACK_TARGET void pack_left(const struct tile_product *product, struct depth depth,
                                  long row, uint16_t *to)
{
    const struct tile_operand *left = &product->left;
    long end = depth.begin + depth.count, stride = depth.tiles * DEEP;

    for (long k = depth.begin; k < end; k += DEEP, to += DEEP) {
        __m512i tiles[2][TILE];

        if (left->transposed) {
            pair_block(left, k, end, row, product->m - row, tiles);
            transpose16(tiles[0]);
            transpose16(tiles[1]);
        } else {
            for (long i = 0; i < BLOCK; i++)
                tiles[i / TILE][i % TILE] =
                    load_line(left, row + i, product->m, k, least(end - k, DEEP));
        }
        store_tile(tiles[0], to, stride);
        store_tile(tiles[1], to + TILE * stride, stride);
    }
}

/* From where on, and where the matrix ends. */
struct cut {
    long begin, end;
};

/* 16 numbers of f32 of each of 16 lines, with zeros where there are none; transposed if asked. */
static PACK_TARGET void load_floats(const struct tile_operand *operand, bool transposed,
                                    struct cut lines, struct cut numbers, __m512 ret_lines[TILE])
{
    const float *from = (const float *)operand->numbers + numbers.begin;
    const __mmask16 mask = (__mmask16)mask_of(least(numbers.end - numbers.begin, TILE));
    __m512i rows[TILE];

    for (long i = 0; i < TILE; i++) {
        long line = lines.begin + i;

        rows[i] = line < lines.end ? _mm512_maskz_loadu_epi32(mask, from + line * operand->stride)
                                   : _mm512_setzero_si512();
    }
    if (transposed)
        transpose16(rows);
    for (long i = 0; i < TILE; i++)
        ret_lines[i] = _mm512_castsi512_ps(rows[i]);
}

/* The nearest number of bf16, in the upper half of each float; of two the larger one. */
static PACK_TARGET __m512i nearest_bf16(__m512 numbers)
{
    return _mm512_and_si512(
        _mm512_add_epi32(_mm512_castps_si512(numbers), _mm512_set1_epi32(0x8000)),
        _mm512_set1_epi32((int)0xffff0000));
}

/* Upper halves of floats: those of the first become the lower ones of each pair. */
static PACK_TARGET __m512i pair_halves(__m512i first, __m512i second)
{
    return _mm512_or_si512(_mm512_srli_epi32(first, 16), second);
}

/* Writes two lines as pairs, one row of a tile of each part. What two parts leave of a float is
 * a number of bf16. */
static PACK_TARGET void store_parts(__m512 first, __m512 second, uint16_t *to, long part_numbers)
{
    for (long part = 0; part < PARTS - 1; part++, to += part_numbers) {
        __m512i one = nearest_bf16(first), other = nearest_bf16(second);

        _mm512_storeu_si512(to, pair_halves(one, other));
        first = _mm512_sub_ps(first, _mm512_castsi512_ps(one));
        second = _mm512_sub_ps(second, _mm512_castsi512_ps(other));
    }
    _mm512_storeu_si512(to, pair_halves(_mm512_castps_si512(first), _mm512_castps_si512(second)));
}

/* 32 columns of the right operand: [depth in tiles][parts][two tiles][16 pairs][16 columns][2].
 */
static PACK_TARGET void split_right(const struct tile_product *product, struct depth depth,
                                    long column, uint16_t *to)
{
    const struct tile_operand *right = &product->right;
    long end = depth.begin + depth.count;
    __m512 lines[BLOCK];

    for (long k = depth.begin; k < end; k += DEEP, to += (PARTS - 1) * 2 * TILE_NUMBERS)
        for (long half = 0; half < 2; half++, to += TILE_NUMBERS) {
            const struct cut columns = {column + half * TILE, product->n};

            for (long i = 0; i < BLOCK; i += TILE) {
                const struct cut depths = {k + i, end};

                if (right->transposed)
                    load_floats(right, true, columns, depths, lines + i);
                else
                    load_floats(right, false, depths, columns, lines + i);
            }
            for (long i = 0; i < TILE; i++)
                store_parts(lines[i], lines[TILE + i], to + i * DEEP, 2 * TILE_NUMBERS);
        }
}

/* 32 rows of the left operand, of each part: (rows, depth in tiles * 32), with zeros around what
 * there is. */
static PACK_TARGET void split_left(const struct tile_product *product, struct depth depth,
                                   long row, uint16_t *to)
{
    const struct tile_operand *left = &product->left;
    long end = depth.begin + depth.count, stride = depth.tiles * DEEP;
    __m512 lines[BLOCK];

    for (long k = depth.begin; k < end; k += DEEP, to += DEEP)
        for (long half = 0; half < BLOCK; half += TILE) {
            const struct cut rows = {row + half, product->m};

            for (long i = 0; i < BLOCK; i += TILE) {
                const struct cut depths = {k + i, end};

                if (left->transposed)
                    load_floats(left, true, depths, rows, lines + i);
                else
                    load_floats(left, false, rows, depths, lines + i);
            }
            for (long i = 0; i < TILE; i++)
                store_parts(lines[i], lines[TILE + i], to + (half + i) * stride, BLOCK * stride);
        }
}

/* 32 rows of the left operand as tiles read them. */
struct rows {
    const uint16_t *numbers;
    long stride;
};

static struct rows rows_of(const struct tile_product *product, struct depth depth, long row,
                           uint16_t *packed)
{
    const struct tile_operand *left = &product->left;

    if (!product->is_f32 && !left->transposed && depth.count % DEEP == 0 &&
        row + BLOCK <= product->m)
        return (struct rows){(const uint16_t *)left->numbers + row * left->stride + depth.begin,
                             left->stride};
    (product->is_f32 ? split_left : pack_left)(product, depth, row, packed);
    return (struct rows){packed, depth.tiles * DEEP};
}

/* A block of the result: where, and the panel that it takes. */
struct block {
    long row, column, tiles;
    const uint16_t *right;
    bool adds;
};

/* 32 rows and 32 columns of sums. */
static TILE_TARGET void multiply_block(struct rows rows, const struct block *block, float *sums,
                                       long stride)
{
    const uint16_t *lower = rows.numbers + TILE * rows.stride, *right = block->right;
    long step = rows.stride * (long)sizeof *right;

    tiles_begin(sums, stride, block->adds);
    for (long t = 0; t < block->tiles; t++, right += 2 * TILE_NUMBERS) {
        tile_load(4, rows.numbers + t * DEEP, step);
        tile_load(6, right, TILE_BYTES);
        tile_multiply(0, 4, 6);
        tile_load(7, right + TILE_NUMBERS, TILE_BYTES);
        tile_multiply(1, 4, 7);
        tile_load(5, lower + t * DEEP, step);
        tile_multiply(2, 5, 6);
        tile_multiply(3, 5, 7);
    }
    tiles_end(sums, stride);
}

/* The same of f32: six products of parts, in an order in which one operand stays. */
static TILE_TARGET void multiply_parts(struct rows rows, const struct block *block, float *sums,
                                       long stride)
{
    static const struct {
        int left, right; /* the next part to load, or -1 */
    } ways[] = {{0, 2}, {-1, 1}, {1, -1}, {-1, 0}, {0, -1}, {2, -1}};
    const uint16_t *left = rows.numbers, *right = block->right;
    long step = rows.stride * (long)sizeof *right, half = TILE * rows.stride;

    tiles_begin(sums, stride, block->adds);
    for (long t = 0; t < block->tiles; t++, left += DEEP, right += PARTS * 2 * TILE_NUMBERS)
        for (int i = 0; i < 6; i++) {
            if (ways[i].left >= 0) {
                tile_load(4, left + 2 * ways[i].left * half, step);
                tile_load(5, left + (2 * ways[i].left + 1) * half, step);
            }
            if (ways[i].right >= 0) {
                tile_load(6, right + 2 * ways[i].right * TILE_NUMBERS, TILE_BYTES);
                tile_load(7, right + (2 * ways[i].right + 1) * TILE_NUMBERS, TILE_BYTES);
            }
            tile_multiply(0, 4, 6);
            tile_multiply(1, 4, 7);
            tile_multiply(2, 5, 6);
            tile_multiply(3, 5, 7);
        }
    tiles_end(sums, stride);
}

static void copy_block(const float *from, long from_stride, float *to, long to_stride, long rows,
                       long columns)
{
    for (long i = 0; i < rows; i++)
        memcpy(to + i * to_stride, from + i * from_stride, (size_t)columns * sizeof *to);
}

/* Numbers of a packed panel of 32 columns. */
static long panel_numbers(const struct tile_product *product, struct depth depth)
{
    return parts_of(product) * depth.tiles * 2 * TILE_NUMBERS;
}

static struct depth depth_at(const struct tile_product *product, long begin)
{
    long count = least(product->k - begin, depth_max(product));

    return (struct depth){begin, count, (count + DEEP - 1) / DEEP};
}

static void pack_columns(const struct tile_product *product, struct depth depth, long begin,
                         long end, uint16_t *to)
{
    for (long column = begin; column < end; column += BLOCK, to += panel_numbers(product, depth))
        (product->is_f32 ? split_right : pack_right)(product, depth, column, to);
}

/* At the edges of the result the sums go through a block of their own. */
static void run_block(const struct tile_product *product, struct rows rows,
                      const struct block *block, float *sums)
{
    float *result = product->result + block->row * product->result_stride + block->column;
    long high = least(product->m - block->row, BLOCK);
    long wide = least(product->n - block->column, BLOCK);

    void (*multiply)(struct rows, const struct block *, float *, long) =
        product->is_f32 ? multiply_parts : multiply_block;

    if (high == BLOCK && wide == BLOCK) {
        multiply(rows, block, result, product->result_stride);
        return;
    }
    if (block->adds)
        copy_block(result, product->result_stride, sums, BLOCK, high, wide);
    multiply(rows, block, sums, BLOCK);
    copy_block(sums, BLOCK, result, product->result_stride, high, wide);
}

/* Some columns of the result, of one block of the depth. */
static void run_columns(const struct tile_product *product, struct depth depth, long begin,
                        long end)
{
    struct scratch *scratch = product->scratch;
    struct block block = {.tiles = depth.tiles, .adds = product->adds || depth.begin > 0};

    if (!product->packed)
        pack_columns(product, depth, begin, end, scratch->right);
    for (block.row = 0; block.row < product->m; block.row += BLOCK) {
        const struct rows rows = rows_of(product, depth, block.row, scratch->left);

        block.right = product->packed ? product->packed : scratch->right;
        for (block.column = begin; block.column < end; block.column += BLOCK) {
            run_block(product, rows, &block, scratch->sums);
            block.right += panel_numbers(product, depth);
        }
    }
}

size_t product_tiles_packed(const struct tile_product *product)
{
    long panels = (product->n + BLOCK - 1) / BLOCK;
    long numbers = panels * panel_numbers(product, depth_at(product, 0));

    return product->k <= depth_max(product) && numbers <= RIGHT_NUMBERS
               ? (size_t)numbers * sizeof(uint16_t)
               : 0;
}

void product_tiles_pack(const struct tile_product *product, uint16_t *ret_packed)
{
    pack_columns(product, depth_at(product, 0), 0, product->n, ret_packed);
}

TILE_TARGET void product_tiles_run(const struct tile_product *product)
{
    struct tile_config config = {.palette = 1};
    long wide; /* columns of a panel */

    for (int i = 0; i < 8; i++) {
        config.rows[i] = TILE;
        config.row_bytes[i] = TILE_BYTES;
    }
    tile_configure(&config);
    wide = RIGHT_NUMBERS / (panel_numbers(product, depth_at(product, 0)) / BLOCK) / BLOCK * BLOCK;
    for (long column = 0; column < product->n; column += wide)
        for (long k = 0; k < product->k; k += depth_max(product))
            run_columns(product, depth_at(product, k), column, least(column + wide, product->n));
    tile_release();
}
#else
#include <assert.h>

size_t product_tiles_scratch(void)
{
    return 0;
}

size_t product_tiles_packed(const struct tile_product *product)
{
    (void)product;
    return 0;
}

void product_tiles_pack(const struct tile_product *product, uint16_t *ret_packed)
{
    (void)product;
    (void)ret_packed;
    assert(false);
}

void product_tiles_run(const struct tile_product *product)
{
    (void)product;
    assert(false);
}
#endif
