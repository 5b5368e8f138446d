/* One set of passes.h. CMake compiles this file once for each instruction set and number format,
 * with PASSES_NAME, PASSES_ISA and, for bf16, PASSES_BF16. The loops over channels are written
 * for the compiler to vectorise; each channel's sums are taken in the same order whatever its
 * width, and nothing is contracted, so that all sets give the same bits.
 * Tested by tests/engine/train/kernels/passes_test.c. */
#include "engine/train/kernels/passes.h"
#include "engine/train/kernels/passes_stored.h"

#include <assert.h>
#include <string.h>

/* Sums are taken in f32 over this many rows and then added up in f64: fast, and as exact as if
 * all had been f64. */
#define BLOCK 32
#define UNROLLED 4

static void passes_clear(float *values, long count)
{
    memset(values, 0, (size_t)count * sizeof *values);
}

static void add_up(const float *values, long count, double *sums)
{
#pragma omp simd
    for (long j = 0; j < count; j++)
        sums[j] += (double)values[j];
}

static void sum_rows(const stored *values, long rows, long channels, float *sum, float *square)
{
    long r = 0;

    for (; r + UNROLLED <= rows; r += UNROLLED) {
        const stored *row = values + r * channels;

#pragma omp simd
        for (long j = 0; j < channels; j++) {
            float a = get(row[j]), b = get(row[channels + j]);
            float c = get(row[2 * channels + j]), d = get(row[3 * channels + j]);

            sum[j] += (a + b) + (c + d);
            square[j] += (a * a + b * b) + (c * c + d * d);
        }
    }
    for (; r < rows; r++) {
        const stored *row = values + r * channels;

#pragma omp simd
        for (long j = 0; j < channels; j++) {
            float a = get(row[j]);

            sum[j] += a;
            square[j] += a * a;
        }
    }
}

static void passes_statistics(const void *values, struct rows rows, double *sums)
{
    long c = rows.channels;
    float block[2 * CHANNELS_MAX];

    assert(c > 0 && c <= CHANNELS_MAX);
    for (long r = 0; r < rows.count; r += BLOCK) {
        long count = rows.count - r < BLOCK ? rows.count - r : BLOCK;

        passes_clear(block, 2 * c);
        sum_rows((const stored *)values + r * c, count, c, block, block + c);
        add_up(block, 2 * c, sums);
    }
}

static void passes_activate(const void *values, const float *affine, struct rows rows,
                            void *result)
{
    long c = rows.channels;
    const float *scale = affine, *shift = affine + c;

    for (long r = 0; r < rows.count; r++) {
        const stored *from = (const stored *)values + r * c;
        stored *to = (stored *)result + r * c;

#pragma omp simd
        for (long j = 0; j < c; j++)
            to[j] = put(relu(get(from[j]) * scale[j] + shift[j]));
    }
}

static void join_plain(const struct pass_join *join, struct rows rows, stored *result)
{
    long c = rows.channels;
    const float *scale = join->affine, *shift = scale + c;

    for (long r = 0; r < rows.count; r++) {
        const stored *from = (const stored *)join->values + r * c;
        const stored *other = (const stored *)join->shortcut + r * c;
        stored *to = result + r * c;

#pragma omp simd
        for (long j = 0; j < c; j++)
            to[j] = put(relu(get(from[j]) * scale[j] + shift[j] + get(other[j])));
    }
}

static void join_normalised(const struct pass_join *join, struct rows rows, stored *result)
{
    long c = rows.channels;
    const float *scale = join->affine, *shift = scale + c;
    const float *other_scale = join->shortcut_affine, *other_shift = other_scale + c;

    for (long r = 0; r < rows.count; r++) {
        const stored *from = (const stored *)join->values + r * c;
        const stored *other = (const stored *)join->shortcut + r * c;
        stored *to = result + r * c;

#pragma omp simd
        for (long j = 0; j < c; j++)
            to[j] = put(relu((get(from[j]) * scale[j] + shift[j]) +
                             (get(other[j]) * other_scale[j] + other_shift[j])));
    }
}

static void passes_join(const struct pass_join *join, struct rows rows, void *result)
{
    if (join->shortcut_affine)
        join_normalised(join, rows, result);
    else
        join_plain(join, rows, result);
}

static void batchnorm_backward(const struct pass_batchnorm_backward *batchnorm_backward,
                               struct rows rows, void *result)
{
    long c = rows.channels;
    const float *scale = batchnorm_backward->scale, *slope = batchnorm_backward->slope;
    const float *mean = batchnorm_backward->mean, *offset = batchnorm_backward->offset;

    for (long r = 0; r < rows.count; r++) {
        const stored *gradient = (const stored *)batchnorm_backward->gradient + r * c;
        const stored *values = (const stored *)batchnorm_backward->values + r * c;
        stored *to = (stored *)result + r * c;

#pragma omp simd
        for (long j = 0; j < c; j++)
            to[j] = put(get(gradient[j]) * scale[j] +
                        ((get(values[j]) - mean[j]) * slope[j] + offset[j]));
    }
}

/* One row of passes_mask(), without its sums. */
static inline float passes_masked(float gradient, float active)
{
    return active > 0 ? gradient : 0;
}

static void mask_row(const struct pass_mask *mask, long at, long c, float *sums)
{
    const stored *gradient = (const stored *)mask->gradient + at;
    const stored *active = (const stored *)mask->active + at;
    const stored *values = (const stored *)mask->values + at;
    const float *mean = mask->mean;
    stored *to = (stored *)mask->result + at;

    if (mask->add) {
        const stored *add = (const stored *)mask->add + at;

#pragma omp simd
        for (long j = 0; j < c; j++) {
            stored kept = put(passes_masked(get(gradient[j]) + get(add[j]), get(active[j])));

            to[j] = kept;
            sums[j] += get(kept);
            sums[c + j] += get(kept) * (get(values[j]) - mean[j]);
        }
        return;
    }
#pragma omp simd
    for (long j = 0; j < c; j++) {
        stored kept = put(passes_masked(get(gradient[j]), get(active[j])));

        to[j] = kept;
        sums[j] += get(kept);
        sums[c + j] += get(kept) * (get(values[j]) - mean[j]);
    }
}

static void other_row(const struct pass_mask *mask, long at, long c, float *sums)
{
    const stored *result = (const stored *)mask->result + at;
    const stored *values = (const stored *)mask->other_values + at;
    const float *mean = mask->other_mean;

#pragma omp simd
    for (long j = 0; j < c; j++)
        sums[j] += get(result[j]) * (get(values[j]) - mean[j]);
}

static void passes_mask(const struct pass_mask *mask, struct rows rows, double *sums)
{
    long c = rows.channels, kinds = mask->other_values ? 3 : 2;
    float block[3 * CHANNELS_MAX];

    assert(c > 0 && c <= CHANNELS_MAX);
    for (long r = 0; r < rows.count; r += BLOCK) {
        long end = rows.count - r < BLOCK ? rows.count : r + BLOCK;

        passes_clear(block, kinds * c);
        for (long i = r; i < end; i++) {
            mask_row(mask, i * c, c, block);
            if (mask->other_values)
                other_row(mask, i * c, c, block + 2 * c);
        }
        add_up(block, kinds * c, sums);
    }
}

static void passes_add(const void *values, struct rows rows, void *result)
{
    stored *to = result;

#pragma omp simd
    for (long i = 0; i < rows.count * rows.channels; i++)
        to[i] = put(get(to[i]) + get(((const stored *)values)[i]));
}

static void passes_subsample(const void *image, long size, long channels, void *result)
{
    stored *to = result;

    for (long h = 0; h < size; h += 2)
        for (long w = 0; w < size; w += 2, to += channels)
            memcpy(to, (const stored *)image + (h * size + w) * channels,
                   (size_t)channels * sizeof *to);
}

static void add_subsampled(const void *small, long size, long channels, void *image)
{
    const stored *from = small;

    for (long h = 0; h < size; h += 2)
        for (long w = 0; w < size; w += 2, from += channels) {
            stored *to = (stored *)image + (h * size + w) * channels;

#pragma omp simd
            for (long j = 0; j < channels; j++)
                to[j] = put(get(to[j]) + get(from[j]));
        }
}

#define WINDOW 3
#define NONE (WINDOW * WINDOW)

/* The values of one tap of a window against the best so far. What is not a number is the largest,
 * and the last of several, as in PyTorch. */
static void pool_tap(const stored *values, const struct pass_pool *pool, uint8_t tap, float *best,
                     uint8_t *chosen)
{
    const float *scale = pool->affine, *shift = scale + pool->channels;

#pragma omp simd
    for (long j = 0; j < pool->channels; j++) {
        float value = get(values[j]) * scale[j] + shift[j];
        bool better = (value > best[j]) | (value != value);

        best[j] = better ? value : best[j];
        chosen[j] = better ? tap : chosen[j];
    }
}

static void pool_pixel(const struct pass_pool *pool, long h, long w, stored *result,
                       uint8_t *chosen)
{
    float best[CHANNELS_MAX];
    long c = pool->channels;

    passes_clear(best, c);
    memset(chosen, NONE, (size_t)c);
    for (int tap = 0; tap < NONE; tap++) {
        long y = 2 * h + tap / WINDOW - 1, x = 2 * w + tap % WINDOW - 1;

        if (y >= 0 && y < pool->size && x >= 0 && x < pool->size)
            pool_tap((const stored *)pool->values + (y * pool->size + x) * c, pool, (uint8_t)tap,
                     best, chosen);
    }
    for (long j = 0; j < c; j++)
        result[j] = put(best[j]);
}

static void passes_pool(const struct pass_pool *pool, void *result)
{
    long half = pool->size / 2, c = pool->channels;

    assert(pool->size % 2 == 0);
    for (long h = 0; h < half; h++)
        for (long w = 0; w < half; w++)
            pool_pixel(pool, h, w, (stored *)result + (h * half + w) * c,
                       pool->chosen + (h * half + w) * c);
}

/* The gradient of one input pixel: from each of the up to four windows that may have chosen it.
 */
static void unpool_pixel(const struct pass_pool *pool, const stored *gradient, long y, long x,
                         float *sum)
{
    long half = pool->size / 2, c = pool->channels;

    passes_clear(sum, c);
    for (long h = y / 2; h <= (y + 1) / 2 && h < half; h++)
        for (long w = x / 2; w <= (x + 1) / 2 && w < half; w++) {
            uint8_t tap = (uint8_t)((y - 2 * h + 1) * WINDOW + (x - 2 * w + 1));
            const uint8_t *chosen = pool->chosen + (h * half + w) * c;
            const stored *from = gradient + (h * half + w) * c;

#pragma omp simd
            for (long j = 0; j < c; j++)
                sum[j] += chosen[j] == tap ? get(from[j]) : 0;
        }
}

static void passes_unpool(const struct pass_pool *pool, const void *gradient, void *result,
                          double *sums)
{
    float pixel[CHANNELS_MAX], block[2 * CHANNELS_MAX];
    long c = pool->channels;

    assert(c > 0 && c <= CHANNELS_MAX && pool->size % 2 == 0);
    for (long y = 0; y < pool->size; y++) {
        passes_clear(block, 2 * c);
        for (long x = 0; x < pool->size; x++) {
            long at = (y * pool->size + x) * c;
            const stored *values = (const stored *)pool->values + at;
            stored *to = (stored *)result + at;

            unpool_pixel(pool, gradient, y, x, pixel);
#pragma omp simd
            for (long j = 0; j < c; j++) {
                stored kept = put(pixel[j]);

                to[j] = kept;
                block[j] += get(kept);
                block[c + j] += get(kept) * (get(values[j]) - pool->mean[j]);
            }
        }
        add_up(block, 2 * c, sums);
    }
}

static void passes_mean(const void *values, struct rows rows, void *result)
{
    float sum[CHANNELS_MAX];
    long c = rows.channels;

    assert(rows.count > 0 && c <= CHANNELS_MAX);
    passes_clear(sum, c);
    for (long r = 0; r < rows.count; r++) {
        const stored *from = (const stored *)values + r * c;

#pragma omp simd
        for (long j = 0; j < c; j++)
            sum[j] += get(from[j]);
    }
    for (long j = 0; j < c; j++)
        ((stored *)result)[j] = put(sum[j] / (float)rows.count);
}

static void passes_spread(const void *gradient, struct rows rows, void *result)
{
    long c = rows.channels;
    stored *to = result;

    for (long j = 0; j < c; j++)
        to[j] = put(get(((const stored *)gradient)[j]) / (float)rows.count);
    for (long r = 1; r < rows.count; r++)
        memcpy(to + r * c, to, (size_t)c * sizeof *to);
}

static void take_image(const float *planes, long pixels, void *result)
{
    stored *to = result;

    for (long p = 0; p < pixels; p++)
        for (long c = 0; c < 3; c++)
            to[3 * p + c] = put(planes[c * pixels + p]);
}

static void to_floats(const void *values, size_t count, float *result)
{
    for (size_t i = 0; i < count; i++)
        result[i] = get(((const stored *)values)[i]);
}

static void from_floats(const float *values, size_t count, void *result)
{
    for (size_t i = 0; i < count; i++)
        ((stored *)result)[i] = put(values[i]);
}

static void passes_accumulate(const float *values, size_t count, float *result)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        result[i] += values[i];
}

#define SLICE 1024 /* numbers at a time: what is summed stays in the nearest cache */

static void sum_copies(const struct pass_learn *learn, size_t at, size_t count, float *sum)
{
    memcpy(sum, learn->copies[0] + at, count * sizeof *sum);
    for (int i = 1; i < learn->copy_count; i++)
        passes_accumulate(learn->copies[i] + at, count, sum);
    if (learn->gradient)
        memcpy(learn->gradient + at, sum, count * sizeof *sum);
}

static void take_step(float *weights, const float *gradient, size_t count, const struct sgd *sgd)
{
    float rate = sgd->learning_rate, decay = sgd->weight_decay;

#pragma omp simd
    for (size_t i = 0; i < count; i++)
        weights[i] -= rate * (gradient[i] + decay * weights[i]);
}

static void take_step_with_momentum(float *weights, float *velocity, const float *gradient,
                                    size_t count, const struct sgd *sgd)
{
    float rate = sgd->learning_rate, decay = sgd->weight_decay, momentum = sgd->momentum;

#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        velocity[i] = momentum * velocity[i] + (gradient[i] + decay * weights[i]);
        weights[i] -= rate * velocity[i];
    }
}

static void passes_learn(const struct pass_learn *learn, const struct sgd *sgd)
{
    float sum[SLICE];

    assert(learn->copy_count > 0);
    for (size_t at = learn->begin; at < learn->end; at += SLICE) {
        size_t count = learn->end - at < SLICE ? learn->end - at : SLICE;

        sum_copies(learn, at, count, sum);
        if (learn->velocity)
            take_step_with_momentum(learn->weights + at, learn->velocity + at, sum, count, sgd);
        else
            take_step(learn->weights + at, sum, count, sgd);
    }
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

extern const struct passes PASSES_NAME;
const struct passes PASSES_NAME = {.name = TEXT(PASSES_NAME),
                                   .isa = PASSES_ISA,
                                   .type = TYPE,
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
