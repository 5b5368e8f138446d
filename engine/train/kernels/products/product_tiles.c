/* A block of the right operand, up to RIGHT_NUMBERS, is packed and stays in the second cache with
 * its columns of the result, while 32 rows of the left one after another go by. Each of these is
 * read as it lies where it can be, else packed too: where it is transposed, ends inside a tile,
 * or has fewer rows than a tile. Tested by
 * tests/engine/train/kernels/products/product_tiles_test.c. */
#include "engine/train/kernels/products/product_tiles.h"

#ifdef __x86_64__
#include "engine/train/kernels/products/product_pack.h"
#include "engine/train/kernels/wgrad_tiles.h"

#include <assert.h>
#include <string.h>

#define DEPTH_MAX 384L /* that is summed in tiles before it goes to memory */
#define RIGHT_NUMBERS (288L << 10)

_Static_assert(DEPTH_MAX % (TILE_PARTS * TILE_DEPTH) == 0, "whole tiles");
_Static_assert(RIGHT_NUMBERS / DEPTH_MAX >= TILE_BLOCK, "a panel fits");

struct scratch {
    uint16_t left[TILE_BLOCK * DEPTH_MAX]; /* the first cache holds it */
    float sums[TILE_BLOCK * TILE_BLOCK];
    uint16_t right[RIGHT_NUMBERS];
};

static long parts_of(const struct matrix_product *product)
{
    return product->is_f32 ? TILE_PARTS : 1;
}

static long depth_max(const struct matrix_product *product)
{
    return DEPTH_MAX / parts_of(product);
}

/* 32 rows of the left operand as tiles read them. */
struct rows {
    const uint16_t *numbers;
    long stride;
};

static struct rows rows_of(const struct matrix_product *product, struct tile_depth depth,
                           long row, uint16_t *packed)
{
    const struct matrix_operand *left = &product->left;

    if (!product->is_f32 && !left->transposed && depth.count % TILE_DEPTH == 0 &&
        row + TILE_BLOCK <= product->m)
        return (struct rows){(const uint16_t *)left->numbers + row * left->stride + depth.begin,
                             left->stride};
    (product->is_f32 ? split_left : pack_left)(left, product->m, depth, row, packed);
    return (struct rows){packed, depth.tiles * TILE_DEPTH};
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
    const uint16_t *lower = rows.numbers + TILE_ROWS * rows.stride, *right = block->right;
    long step = rows.stride * (long)sizeof *right;

    tiles_begin(sums, stride, block->adds);
    for (long t = 0; t < block->tiles; t++, right += 2 * TILE_NUMBERS) {
        tile_load(4, rows.numbers + t * TILE_DEPTH, step);
        tile_load(6, right, TILE_BYTES);
        tile_multiply(0, 4, 6);
        tile_load(7, right + TILE_NUMBERS, TILE_BYTES);
        tile_multiply(1, 4, 7);
        tile_load(5, lower + t * TILE_DEPTH, step);
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
    long step = rows.stride * (long)sizeof *right, half = TILE_ROWS * rows.stride;

    tiles_begin(sums, stride, block->adds);
    for (long t = 0; t < block->tiles;
         t++, left += TILE_DEPTH, right += TILE_PARTS * 2 * TILE_NUMBERS)
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

/* Numbers of a packed panel of 32 columns. */
static long panel_numbers(const struct matrix_product *product, struct tile_depth depth)
{
    return parts_of(product) * depth.tiles * 2 * TILE_NUMBERS;
}

static struct tile_depth depth_at(const struct matrix_product *product, long begin)
{
    long count = least_of(product->k - begin, depth_max(product));

    return (struct tile_depth){begin, count, tile_depth_of(count) / TILE_DEPTH};
}

static void pack_columns(const struct matrix_product *product, struct tile_depth depth,
                         long begin, long end, uint16_t *to)
{
    for (long column = begin; column < end;
         column += TILE_BLOCK, to += panel_numbers(product, depth))
        (product->is_f32 ? split_right : pack_right)(&product->right, product->n, depth, column,
                                                     to);
}

/* At the edges of the result the sums go through a block of their own. */
static void run_block(const struct matrix_product *product, struct rows rows,
                      const struct block *block, float *sums)
{
    long line = product->passes ? 0 : block->row;
    float *result = product->result + line * product->result_stride + block->column;
    long high = least_of(product->m - block->row, TILE_BLOCK);
    long wide = least_of(product->n - block->column, TILE_BLOCK);

    void (*multiply)(struct rows, const struct block *, float *, long) =
        product->is_f32 ? multiply_parts : multiply_block;

    if (high == TILE_BLOCK && wide == TILE_BLOCK) {
        multiply(rows, block, result, product->result_stride);
        return;
    }
    if (block->adds)
        tile_copy_block(result, product->result_stride, sums, TILE_BLOCK, high, wide);
    multiply(rows, block, sums, TILE_BLOCK);
    tile_copy_block(sums, TILE_BLOCK, result, product->result_stride, high, wide);
}

/* Numbers of all panels, of so much of the depth. */
static long packed_numbers(const struct matrix_product *product, long depth)
{
    long panels = (product->n + TILE_BLOCK - 1) / TILE_BLOCK;

    return panels * parts_of(product) * tile_depth_of(depth) * TILE_BLOCK;
}

/* Some columns of the result, of one block of the depth: all of them where they are packed. */
static void run_columns(const struct matrix_product *product, struct tile_depth depth, long begin,
                        long end)
{
    struct scratch *scratch = product->scratch;
    const uint16_t *packed = product->packed;
    struct block block = {.tiles = depth.tiles, .adds = product->adds || depth.begin > 0};

    if (!packed)
        pack_columns(product, depth, begin, end, scratch->right);
    for (block.row = 0; block.row < product->m; block.row += TILE_BLOCK) {
        const struct rows rows = rows_of(product, depth, block.row, scratch->left);

        block.right = packed ? packed + packed_numbers(product, depth.begin) : scratch->right;
        for (block.column = begin; block.column < end; block.column += TILE_BLOCK) {
            run_block(product, rows, &block, scratch->sums);
            block.right += panel_numbers(product, depth);
        }
        if (product->ready && depth.begin + depth.count == product->k)
            product->ready(product->user,
                           (struct matrix_part){block.row,
                                                least_of(product->m - block.row, TILE_BLOCK),
                                                begin, end - begin});
    }
}

static size_t product_tiles_packed(const struct matrix_product *product)
{
    long numbers = packed_numbers(product, product->k);

    return numbers <= RIGHT_NUMBERS ? (size_t)numbers * sizeof(uint16_t) : 0;
}

static void product_tiles_pack(const struct matrix_product *product, void *ret_packed)
{
    for (long k = 0; k < product->k; k += depth_max(product))
        pack_columns(product, depth_at(product, k), 0, product->n,
                     (uint16_t *)ret_packed + packed_numbers(product, k));
}

static long tiles_rows_passed(const struct matrix_product *product)
{
    return product->k <= depth_max(product) ? TILE_BLOCK : 0;
}

static TILE_TARGET void product_tiles_run(const struct matrix_product *product)
{
    long wide; /* columns of a panel */

    assert(!product->passes || tiles_rows_passed(product) > 0);
    tiles_use();
    wide = RIGHT_NUMBERS / (panel_numbers(product, depth_at(product, 0)) / TILE_BLOCK) /
           TILE_BLOCK * TILE_BLOCK;
    for (long column = 0; column < product->n; column += wide)
        for (long k = 0; k < product->k; k += depth_max(product))
            run_columns(product, depth_at(product, k), column,
                        least_of(column + wide, product->n));
    tile_release();
}

/* f32 must be split for tiles: that pays where each number is multiplied often enough. */
static bool tiles_are_faster(const struct matrix_product *product, bool packed)
{
    long m = product->m, n = product->n;

    if (!product->is_f32)
        return true;
    return product->k >= 32 && (packed ? m >= 32 && n >= 64 : m * n >= 64 * (m + n));
}

const struct product_kernel product_tiles = {.scratch_bytes = sizeof(struct scratch),
                                             .is_faster = tiles_are_faster,
                                             .packed_bytes = product_tiles_packed,
                                             .pack = product_tiles_pack,
                                             .rows_passed = tiles_rows_passed,
                                             .run = product_tiles_run};
#else
const struct product_kernel product_tiles = {0};
#endif
