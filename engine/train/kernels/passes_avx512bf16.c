/* The costliest passes over bf16, by the instructions that round to bf16. They compute what
 * passes_body.c does, in the same order and with the same roundings. Where the number of channels
 * is no multiple of 32, and for all other passes, this set calls the one compiled for AVX-512. */
#include "engine/train/kernels/passes_pairs.h"

#include <assert.h>
#include <string.h>

#define UNROLLED 4

extern const struct passes passes_avx512_bf16;
static const struct passes *const compiled = &passes_avx512_bf16;

static bool passes_fits(struct rows rows)
{
    assert(rows.channels > 0 && rows.channels <= CHANNELS_MAX);
    return rows.channels % AT_ONCE == 0;
}

INLINE void sum_one(const uint16_t *row, float *sum, float *square)
{
    const struct pair a = read(row);

    add_to(sum, a);
    add_to(square, multiply(a, a));
}

INLINE void sum_four(const uint16_t *row, long n, float *sum, float *square)
{
    const struct pair a = read(row), b = read(row + n);
    const struct pair c = read(row + 2 * n), d = read(row + 3 * n);

    add_to(sum, add_pairs(add_pairs(a, b), add_pairs(c, d)));
    add_to(square, add_pairs(add_pairs(multiply(a, a), multiply(b, b)),
                             add_pairs(multiply(c, c), multiply(d, d))));
}

static void passes_statistics(const void *values, struct rows rows, double *sums)
{
    const long n = rows.channels;
    struct ordered sum, square;

    if (!passes_fits(rows)) {
        compiled->statistics(values, rows, sums);
        return;
    }
    for (long r = 0; r < rows.count; r += BLOCK) {
        long end = rows.count - r < BLOCK ? rows.count : r + BLOCK, i = r;

        memset(sum.of, 0, (size_t)n * sizeof(float));
        memset(square.of, 0, (size_t)n * sizeof(float));
        for (; i + UNROLLED <= end; i += UNROLLED)
            for (long c = 0; c < n; c += AT_ONCE)
                sum_four((const uint16_t *)values + i * n + c, n, sum.of + c, square.of + c);
        for (; i < end; i++)
            for (long c = 0; c < n; c += AT_ONCE)
                sum_one((const uint16_t *)values + i * n + c, sum.of + c, square.of + c);
        add_up(&sum, n, sums);
        add_up(&square, n, sums + n);
    }
}

static void passes_activate(const void *values, const float *affine, struct rows rows,
                            void *result)
{
    const long n = rows.channels;
    const uint16_t *from = values;
    uint16_t *to = result;
    struct ordered scale, shift;

    if (!passes_fits(rows)) {
        compiled->activate(values, affine, rows, result);
        return;
    }
    pairs_order(affine, n, &scale);
    pairs_order(affine + n, n, &shift);
    for (long r = 0; r < rows.count; r++, from += n, to += n)
        for (long c = 0; c < n; c += AT_ONCE) {
            struct pair scaled = multiply(read_ahead(from + c), load(scale.of + c));

            write(narrow(relu(add_pairs(scaled, load(shift.of + c)))), to + c);
        }
}

static void join_plain(const struct pass_join *join, struct rows rows, uint16_t *to)
{
    const long n = rows.channels;
    const uint16_t *from = join->values, *other = join->shortcut;
    struct ordered scale, shift;

    pairs_order(join->affine, n, &scale);
    pairs_order(join->affine + n, n, &shift);
    for (long r = 0; r < rows.count; r++, from += n, other += n, to += n)
        for (long c = 0; c < n; c += AT_ONCE) {
            struct pair value = multiply(read_ahead(from + c), load(scale.of + c));

            value = add_pairs(value, load(shift.of + c));
            write(narrow(relu(add_pairs(value, read_ahead(other + c)))), to + c);
        }
}

static void join_normalised(const struct pass_join *join, struct rows rows, uint16_t *to)
{
    const long n = rows.channels;
    const uint16_t *from = join->values, *other = join->shortcut;
    struct ordered scale, shift, other_scale, other_shift;

    pairs_order(join->affine, n, &scale);
    pairs_order(join->affine + n, n, &shift);
    pairs_order(join->shortcut_affine, n, &other_scale);
    pairs_order(join->shortcut_affine + n, n, &other_shift);
    for (long r = 0; r < rows.count; r++, from += n, other += n, to += n)
        for (long c = 0; c < n; c += AT_ONCE) {
            struct pair value = multiply(read_ahead(from + c), load(scale.of + c));
            struct pair added = multiply(read_ahead(other + c), load(other_scale.of + c));

            value = add_pairs(value, load(shift.of + c));
            added = add_pairs(added, load(other_shift.of + c));
            write(narrow(relu(add_pairs(value, added))), to + c);
        }
}

static void passes_join(const struct pass_join *join, struct rows rows, void *result)
{
    if (!passes_fits(rows))
        compiled->join(join, rows, result);
    else if (join->shortcut_affine)
        join_normalised(join, rows, result);
    else
        join_plain(join, rows, result);
}

static void batchnorm_backward(const struct pass_batchnorm_backward *work, struct rows rows,
                               void *result)
{
    const long n = rows.channels;
    const uint16_t *gradient = work->gradient, *values = work->values;
    uint16_t *to = result;
    struct ordered scale, slope, mean, offset;

    if (!passes_fits(rows)) {
        compiled->batchnorm_backward(work, rows, result);
        return;
    }
    pairs_order(work->scale, n, &scale);
    pairs_order(work->slope, n, &slope);
    pairs_order(work->mean, n, &mean);
    pairs_order(work->offset, n, &offset);
    for (long r = 0; r < rows.count; r++, gradient += n, values += n, to += n)
        for (long c = 0; c < n; c += AT_ONCE) {
            struct pair part = subtract(read_ahead(values + c), load(mean.of + c));
            struct pair scaled = multiply(read_ahead(gradient + c), load(scale.of + c));

            part = add_pairs(multiply(part, load(slope.of + c)), load(offset.of + c));
            write(narrow(add_pairs(scaled, part)), to + c);
        }
}

static void passes_add(const void *values, struct rows rows, void *result)
{
    const uint16_t *from = values;
    uint16_t *to = result;

    if (!passes_fits(rows)) {
        compiled->add(values, rows, result);
        return;
    }
    for (long i = 0; i < rows.count * rows.channels; i += AT_ONCE)
        write(narrow(add_pairs(read(to + i), read(from + i))), to + i);
}

/* The gradient where `active` is positive and a number, elsewhere 0: infinity is the largest such
 * pattern of bits. */
INLINE __m512i keep(__m512i gradient, __m512i active)
{
    const __m512i one = _mm512_set1_epi16(1), infinity = _mm512_set1_epi16(0x7f80);
    const __mmask32 kept = _mm512_cmplt_epu16_mask(_mm512_sub_epi16(active, one), infinity);

    return _mm512_maskz_mov_epi16(kept, gradient);
}

/* What passes_mask() works with, in the order of vectors. */
struct mask_sums {
    struct ordered mean, other_mean, result, product, other;
};

/* One row, `at` its first number. */
INLINE void mask_row(const struct pass_mask *mask, long at, long n, const bool adds,
                     const bool others, struct mask_sums *sums)
{
    const uint16_t *gradient = (const uint16_t *)mask->gradient + at;
    const uint16_t *add = (const uint16_t *)mask->add + at;
    const uint16_t *active = (const uint16_t *)mask->active + at;
    const uint16_t *values = (const uint16_t *)mask->values + at;
    const uint16_t *other_values = (const uint16_t *)mask->other_values + at;
    uint16_t *to = (uint16_t *)mask->result + at;

    for (long c = 0; c < n; c += AT_ONCE) {
        __m512i kept = _mm512_loadu_si512(gradient + c);
        struct pair value = subtract(read_ahead(values + c), load(sums->mean.of + c));
        struct pair result;

        if (adds)
            kept = narrow(add_pairs(widen(kept), read_ahead(add + c)));
        kept = keep(kept, take(active + c));
        write(kept, to + c);
        result = widen(kept);
        add_to(sums->result.of + c, result);
        add_to(sums->product.of + c, multiply(result, value));
        if (others) {
            value = subtract(read_ahead(other_values + c), load(sums->other_mean.of + c));
            add_to(sums->other.of + c, multiply(result, value));
        }
    }
}

INLINE void mask_rows(const struct pass_mask *mask, struct rows rows, double *ret_sums,
                      const bool adds, const bool others)
{
    const long n = rows.channels;
    const size_t bytes = (size_t)n * sizeof(float);
    struct mask_sums sums;

    pairs_order(mask->mean, n, &sums.mean);
    if (others)
        pairs_order(mask->other_mean, n, &sums.other_mean);
    for (long r = 0; r < rows.count; r += BLOCK) {
        long end = rows.count - r < BLOCK ? rows.count : r + BLOCK;

        memset(sums.result.of, 0, bytes);
        memset(sums.product.of, 0, bytes);
        if (others)
            memset(sums.other.of, 0, bytes);
        for (long i = r; i < end; i++)
            mask_row(mask, i * n, n, adds, others, &sums);
        add_up(&sums.result, n, ret_sums);
        add_up(&sums.product, n, ret_sums + n);
        if (others)
            add_up(&sums.other, n, ret_sums + 2 * n);
    }
}

static void passes_mask(const struct pass_mask *mask, struct rows rows, double *sums)
{
    if (!passes_fits(rows))
        compiled->mask(mask, rows, sums);
    else if (mask->add && mask->other_values)
        mask_rows(mask, rows, sums, true, true);
    else if (mask->add)
        mask_rows(mask, rows, sums, true, false);
    else if (mask->other_values)
        mask_rows(mask, rows, sums, false, true);
    else
        mask_rows(mask, rows, sums, false, false);
}

static void passes_subsample(const void *image, long size, long channels, void *result)
{
    compiled->subsample(image, size, channels, result);
}

static void add_subsampled(const void *small, long size, long channels, void *image)
{
    compiled->add_subsampled(small, size, channels, image);
}

static void passes_pool(const struct pass_pool *pool, void *result)
{
    if (passes_fits((struct rows){1, pool->channels}))
        passes_avx512bf16_pool(pool, result);
    else
        compiled->pool(pool, result);
}

static void passes_unpool(const struct pass_pool *pool, const void *gradient, void *result,
                          double *sums)
{
    if (passes_fits((struct rows){1, pool->channels}))
        passes_avx512bf16_unpool(pool, gradient, result, sums);
    else
        compiled->unpool(pool, gradient, result, sums);
}

static void passes_mean(const void *values, struct rows rows, void *result)
{
    compiled->mean(values, rows, result);
}

static void passes_spread(const void *gradient, struct rows rows, void *result)
{
    compiled->spread(gradient, rows, result);
}

static void take_image(const float *planes, long pixels, void *result)
{
    compiled->take_image(planes, pixels, result);
}

static void to_floats(const void *values, size_t count, float *result)
{
    compiled->to_floats(values, count, result);
}

static void from_floats(const float *values, size_t count, void *result)
{
    compiled->from_floats(values, count, result);
}

static void passes_accumulate(const float *values, size_t count, float *result)
{
    compiled->accumulate(values, count, result);
}

static void passes_learn(const struct pass_learn *learn, const struct sgd *sgd)
{
    compiled->learn(learn, sgd);
}

extern const struct passes passes_avx512bf16_bf16;
const struct passes passes_avx512bf16_bf16 = {.name = "passes_avx512bf16_bf16",
                                              .isa = CPU_AVX512_BF16,
                                              .type = DNN_BF16,
                                              .statistics = passes_statistics,
                                              .activate = passes_activate,
                                              .join = passes_join,
                                              .batchnorm_backward = batchnorm_backward,
                                              .mask = passes_mask,
                                              .add = passes_add,
                                              .subsample = passes_subsample,
                                              .add_subsampled = add_subsampled,
                                              .pool = passes_pool,
                                              .unpool = passes_unpool,
                                              .mean = passes_mean,
                                              .spread = passes_spread,
                                              .take_image = take_image,
                                              .to_floats = to_floats,
                                              .from_floats = from_floats,
                                              .accumulate = passes_accumulate,
                                              .learn = passes_learn};
