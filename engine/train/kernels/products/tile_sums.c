/* Tested by tests/engine/train/kernels/products/tile_sums_test.c. */
#include "engine/train/kernels/products/tile_sums.h"

#ifdef __x86_64__
#include "engine/train/kernels/wgrad_tiles.h"

#include <assert.h>
#include <immintrin.h>
#include <string.h>

#define ADD_TARGET __attribute__((target("avx512f")))

#define TOGETHER 3 /* tiles of the depth: terms that are summed before rounding is kept */

struct scratch {
    uint16_t left[TILE_PARTS * TILE_BLOCK * TILE_SUMS_DEPTH_MAX];
    float total[TILE_BLOCK * TILE_BLOCK];
    float term[TILE_BLOCK * TILE_BLOCK], rest[TILE_BLOCK * TILE_BLOCK]; /* of f32 */
};

/* 32 rows of one left operand, and 32 columns of one right operand. */
struct block {
    const uint16_t *left, *right;
    long stride, left_part, right_part, tiles;
};

static long parts_of(bool is_f32)
{
    return is_f32 ? TILE_PARTS : 1;
}

static long panel_numbers(long tiles, bool is_f32)
{
    return parts_of(is_f32) * tiles * 2 * TILE_NUMBERS;
}

size_t tile_sums_packed(long n, long tiles, bool is_f32)
{
    return (size_t)((n + TILE_BLOCK - 1) / TILE_BLOCK * panel_numbers(tiles, is_f32));
}

void tile_sums_pack(const struct matrix_operand *right, long part, long k, long n, bool is_f32,
                    uint16_t *ret_packed)
{
    const struct tile_depth depth = {0, k, tile_depth_of(k) / TILE_DEPTH};

    for (long column = 0; column < n; column += TILE_BLOCK)
        for (long p = 0; p < parts_of(is_f32); p++) {
            struct matrix_operand one = *right;

            one.numbers = (const uint16_t *)right->numbers + p * part;
            pack_right(&one, n, depth, column, ret_packed);
            ret_packed += depth.tiles * 2 * TILE_NUMBERS;
        }
}

size_t tile_sums_scratch(void)
{
    return sizeof(struct scratch);
}

static TILE_TARGET void load_left(const struct block *block, long part, long tile)
{
    const uint16_t *from = block->left + part * block->left_part + tile * TILE_DEPTH;
    long bytes = block->stride * (long)sizeof *from;

    tile_load(4, from, bytes);
    tile_load(5, from + TILE_ROWS * block->stride, bytes);
}

static TILE_TARGET void load_right(const struct block *block, long part, long tile)
{
    const uint16_t *from = block->right + part * block->right_part + tile * 2 * TILE_NUMBERS;

    tile_load(6, from, TILE_BYTES);
    tile_load(7, from + TILE_NUMBERS, TILE_BYTES);
}

static TILE_TARGET void tile_sums_multiply(void)
{
    tile_multiply(0, 4, 6);
    tile_multiply(1, 4, 7);
    tile_multiply(2, 5, 6);
    tile_multiply(3, 5, 7);
}

/* The five products with a part that is not the first; one operand stays from each to the next.
 */
static TILE_TARGET void multiply_small(const struct block *block)
{
    for (long tile = 0; tile < block->tiles; tile++) {
        load_left(block, 2, tile);
        load_right(block, 0, tile);
        tile_sums_multiply();
        load_left(block, 1, tile);
        tile_sums_multiply();
        load_right(block, 1, tile);
        tile_sums_multiply();
        load_left(block, 0, tile);
        tile_sums_multiply();
        load_right(block, 2, tile);
        tile_sums_multiply();
    }
}

static TILE_TARGET void multiply_first(const struct block *block)
{
    for (long tile = 0; tile < block->tiles; tile++) {
        load_right(block, 0, tile);
        load_left(block, 0, tile);
        tile_sums_multiply();
    }
}

/* Adds a term to the total, and what rounding loses of their sum to the rest. */
static ADD_TARGET void add_term(struct scratch *scratch)
{
    for (long i = 0; i < TILE_BLOCK * TILE_BLOCK; i += TILE_ROWS) {
        const __m512 total = _mm512_load_ps(scratch->total + i);
        const __m512 term = _mm512_load_ps(scratch->term + i);
        const __m512 sum = _mm512_add_ps(total, term), added = _mm512_sub_ps(sum, total);
        const __m512 lost = _mm512_add_ps(_mm512_sub_ps(total, _mm512_sub_ps(sum, added)),
                                          _mm512_sub_ps(term, added));

        _mm512_store_ps(scratch->total + i, sum);
        _mm512_store_ps(scratch->rest + i,
                        _mm512_add_ps(_mm512_load_ps(scratch->rest + i), lost));
    }
}

/* The total with what rounding lost, to so many rows and columns of the result. */
static ADD_TARGET void add_rest(const struct scratch *scratch, float *result, long stride,
                                long rows, long columns)
{
    for (long row = 0; row < rows; row++)
        for (long column = 0; column < columns; column += TILE_ROWS) {
            const long i = row * TILE_BLOCK + column;
            const __mmask16 mask = (__mmask16)((1U << least_of(columns - column, TILE_ROWS)) - 1);

            _mm512_mask_storeu_ps(result + row * stride + column, mask,
                                  _mm512_add_ps(_mm512_load_ps(scratch->total + i),
                                                _mm512_load_ps(scratch->rest + i)));
        }
}

/* 32 rows and 32 columns of the result of some terms. */
struct place {
    long row, column, begin, end;
    long high, wide; /* rows and columns that there are */
    float *result;
    const uint16_t *right; /* the panel of term 0 */
    long operand;          /* numbers from a term's panel to the next */
};

/* The operands of a term; at the end of the left one, a copy of the rows that there are. */
static struct block find_block(const struct tile_sums *sums, const struct place *place, long term,
                               struct scratch *scratch)
{
    const uint16_t *from = sums->left + sums->shifts[term] + place->row * sums->stride;
    long depth = sums->tiles * TILE_DEPTH;
    struct block block = {.left = from,
                          .right = place->right + term * place->operand,
                          .stride = sums->stride,
                          .left_part = sums->part,
                          .right_part = sums->tiles * 2 * TILE_NUMBERS,
                          .tiles = sums->tiles};

    if (place->high == TILE_BLOCK)
        return block;
    assert(depth <= TILE_SUMS_DEPTH_MAX);
    block.left = scratch->left;
    block.stride = depth;
    block.left_part = TILE_BLOCK * depth;
    for (long p = 0; p < parts_of(sums->is_f32); p++)
        for (long i = 0; i < place->high; i++)
            memcpy(scratch->left + p * block.left_part + i * depth,
                   from + p * sums->part + i * sums->stride, (size_t)depth * sizeof *from);
    return block;
}

/* Whole blocks are summed in the result itself. */
static TILE_TARGET void sum_bf16(const struct tile_sums *sums, const struct place *place,
                                 struct scratch *scratch)
{
    bool whole = place->high == TILE_BLOCK && place->wide == TILE_BLOCK;
    float *total = whole ? place->result : scratch->total;
    long stride = whole ? sums->result_stride : TILE_BLOCK;

    if (!whole && sums->adds)
        tile_copy_block(place->result, sums->result_stride, total, TILE_BLOCK, place->high,
                        place->wide);
    tiles_begin(total, stride, sums->adds);
    for (long term = place->begin; term < place->end; term++) {
        const struct block block = find_block(sums, place, term, scratch);

        multiply_first(&block);
    }
    tiles_end(total, stride);
    if (!whole)
        tile_copy_block(total, TILE_BLOCK, place->result, sums->result_stride, place->high,
                        place->wide);
}

static TILE_TARGET void sum_f32(const struct tile_sums *sums, const struct place *place,
                                struct scratch *scratch)
{
    long together = sums->tiles < TOGETHER ? TOGETHER / sums->tiles : 1;

    tiles_begin(scratch->rest, TILE_BLOCK, false);
    for (long term = place->begin; term < place->end; term++) {
        const struct block block = find_block(sums, place, term, scratch);

        multiply_small(&block);
    }
    tiles_end(scratch->rest, TILE_BLOCK);
    memset(scratch->total, 0, sizeof scratch->total);
    if (sums->adds)
        tile_copy_block(place->result, sums->result_stride, scratch->total, TILE_BLOCK,
                        place->high, place->wide);
    for (long term = place->begin; term < place->end; term += together) {
        tiles_begin(scratch->term, TILE_BLOCK, false);
        for (long i = term; i < least_of(term + together, place->end); i++) {
            const struct block block = find_block(sums, place, i, scratch);

            multiply_first(&block);
        }
        tiles_end(scratch->term, TILE_BLOCK);
        add_term(scratch);
    }
    add_rest(scratch, place->result, sums->result_stride, place->high, place->wide);
}

static struct place place_at(const struct tile_sums *sums, long row, long column, long term)
{
    long line = sums->apart ? term * sums->m + row : row;

    return (struct place){
        .row = row,
        .column = column,
        .begin = term,
        .end = sums->apart ? term + 1 : sums->terms,
        .high = least_of(sums->m - row, TILE_BLOCK),
        .wide = least_of(sums->n - column, TILE_BLOCK),
        .result = sums->result + line * sums->result_stride + column,
        .right = sums->right + column / TILE_BLOCK * panel_numbers(sums->tiles, sums->is_f32),
        .operand = sums->apart ? 0 : (long)tile_sums_packed(sums->n, sums->tiles, sums->is_f32)};
}

TILE_TARGET void tile_sums_run(const struct tile_sums *sums, void *scratch)
{
    tiles_use();
    for (long row = 0; row < sums->m; row += TILE_BLOCK)
        for (long column = 0; column < sums->n; column += TILE_BLOCK)
            for (long term = 0; term < (sums->apart ? sums->terms : 1); term++) {
                const struct place place = place_at(sums, row, column, term);

                (sums->is_f32 ? sum_f32 : sum_bf16)(sums, &place, scratch);
            }
    tile_release();
}
#else
#include <assert.h>

size_t tile_sums_packed(long n, long tiles, bool is_f32)
{
    (void)n;
    (void)tiles;
    (void)is_f32;
    return 0;
}

void tile_sums_pack(const struct matrix_operand *right, long part, long k, long n, bool is_f32,
                    uint16_t *ret_packed)
{
    (void)right;
    (void)part;
    (void)k;
    (void)n;
    (void)is_f32;
    (void)ret_packed;
    assert(false);
}

size_t tile_sums_scratch(void)
{
    return 0;
}

void tile_sums_run(const struct tile_sums *sums, void *scratch)
{
    (void)sums;
    (void)scratch;
    assert(false);
}
#endif
