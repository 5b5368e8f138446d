/* A block of the right operand, up to RIGHT_BYTES, is packed and stays in the second cache while
 * 32 rows of the left one after another go by. Each of these is read as it lies where it can be,
 * else packed too: where it is transposed, ends inside a tile, or has fewer rows than a tile.
 * Tested by tests/engine/train/kernels/product_tiles_test.c. */
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
#define RIGHT_NUMBERS (480L << 10)

_Static_assert(DEPTH_MAX % DEEP == 0, "whole tiles");
_Static_assert(RIGHT_NUMBERS / DEPTH_MAX >= BLOCK, "a panel fits");

/* A block of the depth: which numbers of k, and how many tiles deep it is. */
struct depth {
    long begin, count, tiles;
};

struct scratch {
    uint16_t left[BLOCK * DEPTH_MAX];
    float sums[BLOCK * BLOCK];
    uint16_t right[RIGHT_NUMBERS];
};

size_t product_tiles_scratch(void)
{
    return sizeof(struct scratch);
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
    return _mm512_maskz_loadu_epi16(mask_of(count),
                                    operand->numbers + line * operand->stride + at);
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

/* 32 rows of the left operand as tiles read them. */
struct rows {
    const uint16_t *numbers;
    long stride;
};

static struct rows rows_of(const struct tile_product *product, struct depth depth, long row,
                           uint16_t *packed)
{
    const struct tile_operand *left = &product->left;

    if (!left->transposed && depth.count % DEEP == 0 && row + BLOCK <= product->m)
        return (struct rows){left->numbers + row * left->stride + depth.begin, left->stride};
    pack_left(product, depth, row, packed);
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

static void copy_block(const float *from, long from_stride, float *to, long to_stride, long rows,
                       long columns)
{
    for (long i = 0; i < rows; i++)
        memcpy(to + i * to_stride, from + i * from_stride, (size_t)columns * sizeof *to);
}

/* Numbers of a packed panel of 32 columns. */
static long panel_numbers(struct depth depth)
{
    return depth.tiles * 2 * TILE_NUMBERS;
}

static struct depth depth_at(const struct tile_product *product, long begin)
{
    long count = least(product->k - begin, DEPTH_MAX);

    return (struct depth){begin, count, (count + DEEP - 1) / DEEP};
}

static void pack_columns(const struct tile_product *product, struct depth depth, long begin,
                         long end, uint16_t *to)
{
    for (long column = begin; column < end; column += BLOCK, to += panel_numbers(depth))
        pack_right(product, depth, column, to);
}

/* At the edges of the result the sums go through a block of their own. */
static void run_block(const struct tile_product *product, struct rows rows,
                      const struct block *block, float *sums)
{
    float *result = product->result + block->row * product->result_stride + block->column;
    long high = least(product->m - block->row, BLOCK);
    long wide = least(product->n - block->column, BLOCK);

    if (high == BLOCK && wide == BLOCK) {
        multiply_block(rows, block, result, product->result_stride);
        return;
    }
    if (block->adds)
        copy_block(result, product->result_stride, sums, BLOCK, high, wide);
    multiply_block(rows, block, sums, BLOCK);
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
            block.right += panel_numbers(depth);
        }
    }
}

size_t product_tiles_packed(const struct tile_product *product)
{
    long panels = (product->n + BLOCK - 1) / BLOCK;
    long numbers = panels * panel_numbers(depth_at(product, 0));

    return product->k <= DEPTH_MAX && numbers <= RIGHT_NUMBERS
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

    for (int i = 0; i < 8; i++) {
        config.rows[i] = TILE;
        config.row_bytes[i] = TILE_BYTES;
    }
    tile_configure(&config);
    for (long k = 0; k < product->k; k += DEPTH_MAX) {
        const struct depth depth = depth_at(product, k);
        long wide = RIGHT_NUMBERS / (depth.tiles * DEEP) / BLOCK * BLOCK;

        for (long column = 0; column < product->n; column += wide)
            run_columns(product, depth, column, least(column + wide, product->n));
    }
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
