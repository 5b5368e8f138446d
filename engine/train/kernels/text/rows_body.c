/* Layer norm and sums of columns of one set, rows.h.
 * Tested by tests/engine/train/kernels/text/rows_test.c. */
#include "engine/train/kernels/text/rows.h"
#include "engine/train/kernels/text/text_vec.h"

#include <math.h>

/* Columns are summed in f32 over so many rows, and those sums then added up: as exact as longer
 * sums are not. */
#define BLOCK_ROWS 32

static void statistics(const struct layer_norm *norm, long row)
{
    const float *values = norm->values + row * norm->columns;
    vec sum = {0}, squares = {0}, value, mean;
    float variance;

    for (long c = 0; c < norm->columns; c += LANES) {
        vec_load(values + c, norm->columns - c, &value);
        sum += value;
    }
    norm->means[row] = vec_sum(&sum) / (float)norm->columns;
    mean = VEC_ALL(norm->means[row]);
    for (long c = 0; c < norm->columns; c += LANES) {
        vec few = mean; /* lanes behind the last column differ from the mean by nothing */

        if (norm->columns - c >= LANES)
            few = VEC_LOAD(values + c);
        else
            memcpy(&few, values + c, (size_t)(norm->columns - c) * sizeof *values);
        value = few - mean;
        squares = VEC_FMA(value, value, squares);
    }
    variance = vec_sum(&squares) / (float)norm->columns;
    norm->factors[row] = (float)(1 / sqrt((double)(variance + norm->epsilon)));
}

static void layer_norm(const struct layer_norm *norm, long begin, long end, void *ret_result)
{
    for (long row = begin; row < end; row++) {
        const float *values = norm->values + row * norm->columns;
        stored *result = (stored *)ret_result + row * norm->columns;
        vec mean, factor;

        statistics(norm, row);
        mean = VEC_ALL(norm->means[row]);
        factor = VEC_ALL(norm->factors[row]);
        for (long c = 0; c < norm->columns; c += LANES) {
            long count = norm->columns - c;
            vec value, scale, shift;

            vec_load(values + c, count, &value);
            vec_load(norm->scale + c, count, &scale);
            vec_load(norm->shift + c, count, &shift);
            value = VEC_FMA((value - mean) * factor, scale, shift);
            stored_store(result + c, count, &value);
        }
    }
}

/* The values of a row as the norm sees them, and the gradient of them. */
CONV_INLINE void normal_at(const struct layer_norm *norm, const stored *gradient, long row,
                           long column, vec ret[2])
{
    long count = norm->columns - column, at = row * norm->columns + column;
    vec scale, value;

    vec_load(norm->values + at, count, &value);
    stored_load(gradient + at, count, &ret[1]);
    vec_load(norm->scale + column, count, &scale);
    ret[0] = (value - VEC_ALL(norm->means[row])) * VEC_ALL(norm->factors[row]);
    ret[1] *= scale;
}

static void layer_norm_backward(const struct layer_norm *norm, const void *gradient, long begin,
                                long end, float *result)
{
    for (long row = begin; row < end; row++) {
        vec sum = {0}, product = {0}, both[2], mean, slope, factor = VEC_ALL(norm->factors[row]);

        for (long c = 0; c < norm->columns; c += LANES) {
            normal_at(norm, gradient, row, c, both);
            sum += both[1];
            product = VEC_FMA(both[0], both[1], product); /* gradients behind the row are 0 */
        }
        mean = VEC_ALL(vec_sum(&sum) / (float)norm->columns);
        slope = VEC_ALL(vec_sum(&product) / (float)norm->columns);
        for (long c = 0; c < norm->columns; c += LANES) {
            float *to = result + row * norm->columns + c;
            vec value;

            normal_at(norm, gradient, row, c, both);
            vec_load(to, norm->columns - c, &value);
            value = VEC_FMA(both[1] - mean - both[0] * slope, factor, value);
            vec_store(to, norm->columns - c, &value);
        }
    }
}

static void layer_norm_weights(const struct layer_norm *norm, const void *gradient, long begin,
                               long end, float *ret_gradients[2])
{
    for (long c = begin; c < end; c += LANES) {
        long count = end - c;
        vec total[2] = {{0}, {0}};

        for (long first = 0; first < norm->rows; first += BLOCK_ROWS) {
            vec sum[2] = {{0}, {0}};

            for (long row = first; row < first + BLOCK_ROWS && row < norm->rows; row++) {
                long at = row * norm->columns + c;
                vec value, slope;

                vec_load(norm->values + at, count, &value);
                stored_load((const stored *)gradient + at, count, &slope);
                value = (value - VEC_ALL(norm->means[row])) * VEC_ALL(norm->factors[row]);
                sum[0] = VEC_FMA(value, slope, sum[0]);
                sum[1] += slope;
            }
            total[0] += sum[0];
            total[1] += sum[1];
        }
        for (int i = 0; i < 2; i++)
            vec_store(ret_gradients[i] + c, count, &total[i]);
    }
}

static void column_sums(const void *values, const long rows_and_stride[2], long begin, long end,
                        float *ret_sums)
{
    for (long c = begin; c < end; c += LANES) {
        vec total = {0}, value;

        for (long first = 0; first < rows_and_stride[0]; first += BLOCK_ROWS) {
            vec sum = {0};

            for (long row = first; row < first + BLOCK_ROWS && row < rows_and_stride[0]; row++) {
                stored_load((const stored *)values + row * rows_and_stride[1] + c, end - c,
                            &value);
                sum += value;
            }
            total += sum;
        }
        vec_store(ret_sums + c, end - c, &total);
    }
}

extern const struct rows_kernel TEXT_NAME(rows);
const struct rows_kernel TEXT_NAME(rows) = {
    .layer_norm = layer_norm,
    .layer_norm_backward = layer_norm_backward,
    .layer_norm_weights = layer_norm_weights,
    .column_sums = column_sums,
};
