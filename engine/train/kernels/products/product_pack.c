/* Tested by tests/engine/train/kernels/products/product_tiles_test.c. */
#include "engine/train/kernels/products/product_pack.h"

#ifdef __x86_64__
#include "engine/train/kernels/transpose16.h"

#define PACK_TARGET __attribute__((target("avx512f,avx512bw")))

static PACK_TARGET __mmask32 mask_of(long count)
{
    return count >= 32 ? ~(__mmask32)0 : count <= 0 ? 0 : ((__mmask32)1 << count) - 1;
}

/* 32 numbers of a line from `at` on; zeros behind `count` of them, or where there is no line.
 * What lies `ahead` numbers on is asked of memory: it is packed next. */
static PACK_TARGET __m512i load_line(const struct matrix_operand *operand, long line, long lines,
                                     long at, long count, long ahead)
{
    const uint16_t *from = (const uint16_t *)operand->numbers + line * operand->stride + at;

    if (line >= lines)
        return _mm512_setzero_si512();
    __builtin_prefetch(from + ahead);
    return _mm512_maskz_loadu_epi16(mask_of(count), from);
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
static PACK_TARGET void pair_block(const struct matrix_operand *operand, long line, long lines,
                                   long at, long count, __m512i ret_tiles[2][TILE_ROWS])
{
    for (long i = 0; i < TILE_ROWS; i++) {
        __m512i pairs[2];

        pair_lines(load_line(operand, line + 2 * i, lines, at, count, TILE_BLOCK),
                   load_line(operand, line + 2 * i + 1, lines, at, count, TILE_BLOCK), pairs);
        ret_tiles[0][i] = pairs[0];
        ret_tiles[1][i] = pairs[1];
    }
}

static PACK_TARGET void store_tile(const __m512i rows[TILE_ROWS], uint16_t *to, long stride)
{
    for (long i = 0; i < TILE_ROWS; i++)
        _mm512_storeu_si512(to + i * stride, rows[i]);
}

PACK_TARGET void pack_right(const struct matrix_operand *right, long count,
                            struct tile_depth depth, long column, uint16_t *to)
{
    long end = depth.begin + depth.count;

    for (long k = depth.begin; k < end; k += TILE_DEPTH, to += 2 * TILE_NUMBERS) {
        __m512i tiles[2][TILE_ROWS];

        if (right->transposed) {
            for (long half = 0; half < 2; half++) {
                for (long i = 0; i < TILE_ROWS; i++)
                    tiles[half][i] =
                        load_line(right, column + half * TILE_ROWS + i, count, k,
                                  least_of(end - k, TILE_DEPTH), TILE_BLOCK * right->stride);
                transpose16(tiles[half]);
            }
        } else {
            pair_block(right, k, end, column, count - column, tiles);
        }
        store_tile(tiles[0], to, TILE_DEPTH);
        store_tile(tiles[1], to + TILE_NUMBERS, TILE_DEPTH);
    }
}

PACK_TARGET void pack_left(const struct matrix_operand *left, long count, struct tile_depth depth,
                           long row, uint16_t *to)
{
    long end = depth.begin + depth.count, stride = depth.tiles * TILE_DEPTH;

    for (long k = depth.begin; k < end; k += TILE_DEPTH, to += TILE_DEPTH) {
        __m512i tiles[2][TILE_ROWS];

        if (left->transposed) {
            pair_block(left, k, end, row, count - row, tiles);
            transpose16(tiles[0]);
            transpose16(tiles[1]);
        } else {
            for (long i = 0; i < TILE_BLOCK; i++)
                tiles[i / TILE_ROWS][i % TILE_ROWS] =
                    load_line(left, row + i, count, k, least_of(end - k, TILE_DEPTH),
                              TILE_BLOCK * left->stride);
        }
        store_tile(tiles[0], to, stride);
        store_tile(tiles[1], to + TILE_ROWS * stride, stride);
    }
}

/* From where on, and where the matrix ends. */
struct cut {
    long begin, end;
};

/* 16 numbers of f32 of each of 16 lines, with zeros where there are none; transposed if asked. */
static PACK_TARGET void load_floats(const struct matrix_operand *operand, bool transposed,
                                    struct cut lines, struct cut numbers,
                                    __m512 ret_lines[TILE_ROWS])
{
    const float *from = (const float *)operand->numbers + numbers.begin;
    const __mmask16 mask = (__mmask16)mask_of(least_of(numbers.end - numbers.begin, TILE_ROWS));
    __m512i rows[TILE_ROWS];

    for (long i = 0; i < TILE_ROWS; i++) {
        long line = lines.begin + i;

        rows[i] = line < lines.end ? _mm512_maskz_loadu_epi32(mask, from + line * operand->stride)
                                   : _mm512_setzero_si512();
    }
    if (transposed)
        transpose16(rows);
    for (long i = 0; i < TILE_ROWS; i++)
        ret_lines[i] = _mm512_castsi512_ps(rows[i]);
}

/* The nearest number of bf16, in the upper half of each float; of two the larger one. */
static PACK_TARGET __m512i nearest_bf16(__m512 numbers)
{
    return _mm512_and_si512(
        _mm512_add_epi32(_mm512_castps_si512(numbers), _mm512_set1_epi32(0x8000)),
        _mm512_set1_epi32((int)0xffff0000));
}

/* Pairs of upper halves of floats: the lower of each pair is from the first. */
static PACK_TARGET __m512i pair_halves(__m512i first, __m512i second)
{
    return _mm512_or_si512(_mm512_srli_epi32(first, 16), second);
}

/* Writes two lines as pairs, one row of a tile of each part. What two parts leave of a float is
 * a number of bf16. */
static PACK_TARGET void store_parts(__m512 first, __m512 second, uint16_t *to, long part_numbers)
{
    for (long part = 0; part < TILE_PARTS - 1; part++, to += part_numbers) {
        __m512i one = nearest_bf16(first), other = nearest_bf16(second);

        _mm512_storeu_si512(to, pair_halves(one, other));
        first = _mm512_sub_ps(first, _mm512_castsi512_ps(one));
        second = _mm512_sub_ps(second, _mm512_castsi512_ps(other));
    }
    _mm512_storeu_si512(to, pair_halves(_mm512_castps_si512(first), _mm512_castps_si512(second)));
}

PACK_TARGET void split_right(const struct matrix_operand *right, long count,
                             struct tile_depth depth, long column, uint16_t *to)
{
    long end = depth.begin + depth.count;
    __m512 lines[TILE_BLOCK];

    for (long k = depth.begin; k < end;
         k += TILE_DEPTH, to += (TILE_PARTS - 1) * 2 * TILE_NUMBERS)
        for (long half = 0; half < 2; half++, to += TILE_NUMBERS) {
            const struct cut columns = {column + half * TILE_ROWS, count};

            for (long i = 0; i < TILE_BLOCK; i += TILE_ROWS) {
                const struct cut depths = {k + i, end};

                if (right->transposed)
                    load_floats(right, true, columns, depths, lines + i);
                else
                    load_floats(right, false, depths, columns, lines + i);
            }
            for (long i = 0; i < TILE_ROWS; i++)
                store_parts(lines[i], lines[TILE_ROWS + i], to + i * TILE_DEPTH,
                            2 * TILE_NUMBERS);
        }
}

PACK_TARGET void split_left(const struct matrix_operand *left, long count,
                            struct tile_depth depth, long row, uint16_t *to)
{
    long end = depth.begin + depth.count, stride = depth.tiles * TILE_DEPTH;
    __m512 lines[TILE_BLOCK];

    for (long k = depth.begin; k < end; k += TILE_DEPTH, to += TILE_DEPTH)
        for (long half = 0; half < TILE_BLOCK; half += TILE_ROWS) {
            const struct cut rows = {row + half, count};

            for (long i = 0; i < TILE_BLOCK; i += TILE_ROWS) {
                const struct cut depths = {k + i, end};

                if (left->transposed)
                    load_floats(left, true, depths, rows, lines + i);
                else
                    load_floats(left, false, rows, depths, lines + i);
            }
            for (long i = 0; i < TILE_ROWS; i++)
                store_parts(lines[i], lines[TILE_ROWS + i], to + (half + i) * stride,
                            TILE_BLOCK * stride);
        }
}

PACK_TARGET void split_numbers(const float *numbers, long count, uint16_t *to, long part)
{
    const __m512i uppers =
        _mm512_set_epi16(63, 61, 59, 57, 55, 53, 51, 49, 47, 45, 43, 41, 39, 37, 35, 33, 31, 29,
                         27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);

    for (long i = 0; i < count; i += TILE_DEPTH) {
        const __mmask32 mask = mask_of(count - i);
        __m512 first = _mm512_maskz_loadu_ps((__mmask16)mask, numbers + i);
        __m512 second = _mm512_maskz_loadu_ps((__mmask16)(mask >> 16), numbers + i + TILE_ROWS);

        for (long p = 0; p < TILE_PARTS; p++) {
            __m512i one = nearest_bf16(first), other = nearest_bf16(second);

            _mm512_mask_storeu_epi16(to + p * part + i, mask,
                                     _mm512_permutex2var_epi16(one, uppers, other));
            first = _mm512_sub_ps(first, _mm512_castsi512_ps(one));
            second = _mm512_sub_ps(second, _mm512_castsi512_ps(other));
        }
    }
}
#else
#include <assert.h>

void pack_left(const struct matrix_operand *left, long count, struct tile_depth depth, long row,
               uint16_t *to)
{
    (void)left;
    (void)count;
    (void)depth;
    (void)row;
    (void)to;
    assert(false);
}

void split_numbers(const float *numbers, long count, uint16_t *to, long part)
{
    (void)numbers;
    (void)count;
    (void)to;
    (void)part;
    assert(false);
}
#endif
