/* The maximum pool of passes.h and its gradient, by the instructions that round to bf16: the bits
 * of passes_body.c. 32 channels of a window stay in registers.
 * Tested by tests/engine/train/kernels/passes_avx512bf16_test.c and
 * tests/engine/train/kernels/passes_pool_test.c. */
#include "engine/train/kernels/passes_pairs.h"

#include <assert.h>
#include <string.h>

#define WINDOW 3
#define NONE (WINDOW * WINDOW)

/* The pixels first .. last that a window looks at, of `size` in one direction. */
struct reach {
    long first, last;
};

static struct reach reach_of(long output, long size)
{
    const long first = 2 * output - 1, last = 2 * output + 1;

    return (struct reach){first < 0 ? 0 : first, last < size ? last : size - 1};
}

/* 32 channels of one output: the best so far, and its number in the window, a lane a channel. */
struct best {
    struct pair value;
    __m512i even, odd;
};

INLINE void better(__m512 value, int tap, __m512 *best, __m512i *chosen)
{
    /* What is not a number is better than all that is, as in passes_body.c. */
    const __mmask16 number = _mm512_cmp_ps_mask(value, value, _CMP_ORD_Q);
    const __mmask16 worse = _mm512_mask_cmp_ps_mask(number, value, *best, _CMP_NGT_UQ);

    *best = _mm512_mask_mov_ps(value, worse, *best);
    *chosen = _mm512_mask_mov_epi32(_mm512_set1_epi32(tap), worse, *chosen);
}

/* Output (h, w), channels c .. c + 32. */
INLINE void pool_window(const struct pass_pool *pool, long h, long w, long c,
                        const struct ordered affine[2], struct best *best)
{
    const struct reach rows = reach_of(h, pool->size), columns = reach_of(w, pool->size);
    const struct pair scale = load(affine[0].of + c), shift = load(affine[1].of + c);

    best->value.even = best->value.odd = _mm512_setzero_ps();
    best->even = best->odd = _mm512_set1_epi32(NONE);
    for (long y = rows.first; y <= rows.last; y++)
        for (long x = columns.first; x <= columns.last; x++) {
            const int tap = (int)((y - 2 * h + 1) * WINDOW + x - 2 * w + 1);
            const uint16_t *from =
                (const uint16_t *)pool->values + (y * pool->size + x) * pool->channels + c;
            const struct pair value = add_pairs(multiply(read_ahead(from), scale), shift);

            better(value.even, tap, &best->value.even, &best->even);
            better(value.odd, tap, &best->value.odd, &best->odd);
        }
}

void passes_avx512bf16_pool(const struct pass_pool *pool, void *result)
{
    const long half = pool->size / 2, n = pool->channels;
    uint16_t *to = result;
    uint8_t *chosen = pool->chosen;
    struct ordered affine[2];

    assert(pool->size % 2 == 0 && n % AT_ONCE == 0 && n <= CHANNELS_MAX);
    pairs_order(pool->affine, n, &affine[0]);
    pairs_order(pool->affine + n, n, &affine[1]);
    for (long h = 0; h < half; h++)
        for (long w = 0; w < half; w++, to += n, chosen += n)
            for (long c = 0; c < n; c += AT_ONCE) {
                struct best best;
                __m512i both;

                pool_window(pool, h, w, c, affine, &best);
                write(narrow(best.value), to + c);
                both = _mm512_or_si512(best.even, _mm512_slli_epi32(best.odd, 8));
                _mm256_storeu_si256((__m256i *)(void *)(chosen + c), _mm512_cvtepi32_epi16(both));
            }
}

/* The gradient of input (y, x): from each of the up to four windows that may have chosen it. */
INLINE struct pair unpool_pixel(const struct pass_pool *pool, const uint16_t *gradient, long y,
                                long x, long c)
{
    const long half = pool->size / 2, n = pool->channels;
    struct pair sum = {_mm512_setzero_ps(), _mm512_setzero_ps()};

    for (long h = y / 2; h <= (y + 1) / 2 && h < half; h++)
        for (long w = x / 2; w <= (x + 1) / 2 && w < half; w++) {
            const long at = (h * half + w) * n + c;
            const char tap = (char)((y - 2 * h + 1) * WINDOW + x - 2 * w + 1);
            const __m256i chosen = _mm256_loadu_si256((const void *)(pool->chosen + at));
            const __mmask32 is = _mm256_cmpeq_epi8_mask(chosen, _mm256_set1_epi8(tap));

            sum = add_pairs(sum, widen(_mm512_maskz_mov_epi16(is, take(gradient + at))));
        }
    return sum;
}

void passes_avx512bf16_unpool(const struct pass_pool *pool, const void *gradient, void *result,
                              double *sums)
{
    const long n = pool->channels;
    const uint16_t *values = pool->values;
    uint16_t *to = result;
    struct ordered mean, sum, product;

    assert(pool->size % 2 == 0 && n % AT_ONCE == 0 && n <= CHANNELS_MAX);
    pairs_order(pool->mean, n, &mean);
    for (long y = 0; y < pool->size; y++) {
        memset(sum.of, 0, (size_t)n * sizeof(float));
        memset(product.of, 0, (size_t)n * sizeof(float));
        for (long x = 0; x < pool->size; x++, values += n, to += n)
            for (long c = 0; c < n; c += AT_ONCE) {
                const __m512i stored = narrow(unpool_pixel(pool, gradient, y, x, c));
                const struct pair kept = widen(stored);
                const struct pair value = subtract(read_ahead(values + c), load(mean.of + c));

                write(stored, to + c);
                add_to(sum.of + c, kept);
                add_to(product.of + c, multiply(kept, value));
            }
        add_up(&sum, n, sums);
        add_up(&product, n, sums + n);
    }
}
