/* One set of elements.h. CMake compiles this file once for each instruction set, with
 * ELEMENTS_NAME and ELEMENTS_ISA. Loops are written for the compiler to vectorise; sums go into
 * LANES parts that are added in one order, and nothing is contracted, so that all sets give the
 * same bits.
 * Tested by tests/engine/train/kernels/elements_test.c. */
#include "engine/train/kernels/elements.h"
#include "engine/train/kernels/elements_math.h"
#include "engine/train/networks/tensor_init.h"

#include <math.h>
#include <string.h>

#define LANES 16

static double elements_fold(const double *part)
{
    double sum = 0;

    for (int i = 0; i < LANES; i++)
        sum += part[i];
    return sum;
}

static void round_numbers(const float *values, size_t count, uint16_t *result)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        result[i] = (uint16_t)(elements_rounded(values[i]) >> 16);
}

static void round_floats(const float *values, size_t count, float *result)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        result[i] = float_of(elements_rounded(values[i]) & 0xffff0000);
}

static void elements_add(const float *values, size_t count, float *result)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        result[i] += values[i];
}

/* The inner function of GELU's tanh, and its slope. */
static inline float gelu_tanh(float z)
{
    return tanh_of(0.797884561f * (z + 0.044715f * z * z * z));
}

static inline float gelu_slope(float z)
{
    float t = gelu_tanh(z);

    return 0.5f * (1 + t) + 0.5f * z * (1 - t * t) * 0.797884561f * (1 + 3 * 0.044715f * z * z);
}

static void elements_activate(const struct element_finish *finish, float *value, long row)
{
    long begin = finish->begin, end = finish->end;

    if (finish->activation == ACTIVATION_RELU) {
#pragma omp simd
        for (long j = begin; j < end; j++)
            value[j] = value[j] < 0 ? 0 : value[j];
    } else if (finish->activation == ACTIVATION_GELU) {
        float *before = finish->before + row * finish->stride;

#pragma omp simd
        for (long j = begin; j < end; j++) {
            float z = value[j];

            before[j] = z;
            value[j] = 0.5f * z * (1 + gelu_tanh(z));
        }
    }
}

static void finish_rows(const struct element_finish *finish)
{
    long begin = finish->begin, end = finish->end;
    size_t count = (size_t)(end - begin);

    for (long row = finish->row_begin; row < finish->row_end; row++) {
        long at = row * finish->stride;
        const float *from = finish->from + at;
        float *value = finish->value + at;

        if (finish->bias)
#pragma omp simd
            for (long j = begin; j < end; j++)
                value[j] = from[j] + finish->bias[j];
        else if (from != value)
            memcpy(value + begin, from + begin, count * sizeof *value);
        if (finish->adds) {
            const float *adds = finish->adds + row * finish->stride;

#pragma omp simd
            for (long j = begin; j < end; j++)
                value[j] += adds[j];
        }
        elements_activate(finish, value, row);
        if (finish->rounded)
            round_numbers(value + begin, count, finish->rounded + at + begin);
        if (finish->rounded_floats)
            round_floats(value + begin, count, finish->rounded_floats + at + begin);
    }
}

static void relu_backward(const float *value, const float *gradient, size_t count, float *result)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        result[i] = value[i] > 0 ? gradient[i] : 0;
}

static void gelu_backward(const float *before, size_t count, float *gradient)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        gradient[i] *= gelu_slope(before[i]);
}

#define STRIP 64 /* columns that are summed together */

static void sum_columns(const float *values, long rows, long stride, long begin, long end,
                        float *result)
{
    for (long from = begin; from < end; from += STRIP) {
        long width = end - from < STRIP ? end - from : STRIP;
        double sums[STRIP] = {0};

        for (long row = 0; row < rows; row++) {
            const float *value = values + row * stride + from;

#pragma omp simd
            for (long j = 0; j < width; j++)
                sums[j] += (double)value[j];
        }
        for (long j = 0; j < width; j++)
            result[from + j] = (float)sums[j];
    }
}

static void elements_drop(const struct element_drop *drop)
{
    const float *from = drop->from;
    float *to = drop->to, scale = drop->scale;
    uint64_t start = drop->start;
    uint32_t keep_from = drop->keep_from;

#pragma omp simd
    for (size_t i = drop->begin; i < drop->end; i++)
        to[i] = tensor_init_bits(start, i) >= keep_from ? from[i] * scale : 0;
}

static void elements_pool(const struct element_pool *pool)
{
    const float *bias = pool->bias;
    float least = pool->relu ? 0 : -INFINITY;
    long columns = pool->columns;

    for (long x = 0; x < pool->width; x++) {
        const float *pixels = pool->from + 2 * x * columns, *next = pixels + columns;
        const float *below = pixels + pool->line, *last = below + columns;
        float *value = pool->value + x * columns;
        int32_t *which = pool->which + x * columns;

#pragma omp simd
        for (long c = 0; c < columns; c++) {
            float most = pixels[c] + bias[c], second = next[c] + bias[c];
            float third = below[c] + bias[c], fourth = last[c] + bias[c];
            int32_t at = 0;

            at = second > most ? 1 : at;
            most = second > most ? second : most;
            at = third > most ? 2 : at;
            most = third > most ? third : most;
            at = fourth > most ? 3 : at;
            most = fourth > most ? fourth : most;
            value[c] = most < least ? least : most;
            which[c] = at;
        }
    }
}

static void pool_backward(const struct element_unpool *pool)
{
    long columns = pool->columns;

    for (long x = 0; x < pool->width; x++) {
        const float *gradient = pool->gradient + x * columns;
        const int32_t *which = pool->which + x * columns;
        float *pixels = pool->to + 2 * x * columns, *next = pixels + columns;
        float *below = pixels + pool->line, *last = below + columns;

#pragma omp simd
        for (long c = 0; c < columns; c++) {
            pixels[c] = which[c] == 0 ? gradient[c] : 0;
            next[c] = which[c] == 1 ? gradient[c] : 0;
            below[c] = which[c] == 2 ? gradient[c] : 0;
            last[c] = which[c] == 3 ? gradient[c] : 0;
        }
    }
}

static void lstm_forward(const struct element_lstm *l)
{
    const float *input = l->input, *bias = l->bias, *bias_h = l->bias_h;
    const float *recurrent = l->recurrent, *before = l->before;
    float *gates = l->gates, *cell = l->cell, *state = l->state;
    long h = l->cells;

#pragma omp simd
    for (long j = 0; j < 4 * h; j++)
        gates[j] = input[j] + (bias[j] + bias_h[j]);
    if (recurrent)
        elements_add(recurrent, (size_t)(4 * h), gates);
#pragma omp simd
    for (long j = 0; j < 2 * h; j++)
        gates[j] = sigmoid_of(gates[j]);
#pragma omp simd
    for (long j = 2 * h; j < 3 * h; j++)
        gates[j] = tanh_of(gates[j]);
#pragma omp simd
    for (long j = 3 * h; j < 4 * h; j++)
        gates[j] = sigmoid_of(gates[j]);
#pragma omp simd
    for (long j = 0; j < h; j++)
        cell[j] = gates[j] * gates[2 * h + j];
    if (before)
#pragma omp simd
        for (long j = 0; j < h; j++)
            cell[j] += gates[h + j] * before[j];
#pragma omp simd
    for (long j = 0; j < h; j++)
        state[j] = gates[3 * h + j] * tanh_of(cell[j]);
}

static void lstm_backward(const struct element_lstm *l)
{
    float *gates = l->gates, *cell_gradient = l->cell_gradient;
    const float *cell = l->cell, *state_gradient = l->state_gradient, *before = l->before;
    long h = l->cells;

#pragma omp simd
    for (long j = 0; j < h; j++) {
        float i = gates[j], f = gates[h + j], g = gates[2 * h + j], o = gates[3 * h + j];
        float t = tanh_of(cell[j]), dh = state_gradient[j];
        float dc = cell_gradient[j] + dh * o * (1 - t * t);
        float c = before ? before[j] : 0;

        gates[j] = dc * g * i * (1 - i);
        gates[h + j] = dc * c * f * (1 - f);
        gates[2 * h + j] = dc * i * (1 - g * g);
        gates[3 * h + j] = dh * t * o * (1 - o);
        cell_gradient[j] = dc * f;
    }
}

/* The sum of values, and of squares of what is left without `mean`. */
static double sum_of(const float *values, long count)
{
    double part[LANES] = {0}, rest = 0;
    long i = 0;

    for (; i + LANES <= count; i += LANES)
#pragma omp simd
        for (int lane = 0; lane < LANES; lane++)
            part[lane] += (double)values[i + lane];
    for (; i < count; i++)
        rest += (double)values[i];
    return elements_fold(part) + rest;
}

static double product_sum(const float *a, const float *b, long count)
{
    double part[LANES] = {0}, rest = 0;
    long i = 0;

    for (; i + LANES <= count; i += LANES)
#pragma omp simd
        for (int lane = 0; lane < LANES; lane++)
            part[lane] += (double)a[i + lane] * (double)b[i + lane];
    for (; i < count; i++)
        rest += (double)a[i] * (double)b[i];
    return elements_fold(part) + rest;
}

static void norm_forward(const struct element_norm *norm, long row_begin, long row_end)
{
    const float *weight = norm->weight, *bias = norm->bias;
    long c = norm->columns;

    for (long row = row_begin; row < row_end; row++) {
        const float *x = norm->input + row * c;
        float *y = norm->output + row * c;
        float mean = (float)(sum_of(x, c) / (double)c), scale;

#pragma omp simd
        for (long j = 0; j < c; j++)
            y[j] = x[j] - mean;
        scale = (float)(1 / sqrt(product_sum(y, y, c) / (double)c + (double)norm->epsilon));
#pragma omp simd
        for (long j = 0; j < c; j++)
            y[j] = y[j] * scale * weight[j] + bias[j];
        norm->mean[row] = mean;
        norm->scale[row] = scale;
    }
}

/* Means of gradient * weight, and of that times the normalised input, of a row. */
struct norm_means {
    float offset, slope;
};

static struct norm_means norm_means_of(const struct element_norm *norm, long row)
{
    double part[LANES] = {0}, other[LANES] = {0}, rest = 0, other_rest = 0;
    long c = norm->columns, j = 0;
    const float *x = norm->input + row * c, *g = norm->gradient + row * c;
    const float *weight = norm->weight;
    float mean = norm->mean[row], scale = norm->scale[row];

    for (; j + LANES <= c; j += LANES)
#pragma omp simd
        for (int lane = 0; lane < LANES; lane++) {
            float d = g[j + lane] * weight[j + lane];

            part[lane] += (double)d;
            other[lane] += (double)(d * ((x[j + lane] - mean) * scale));
        }
    for (; j < c; j++) {
        float d = g[j] * weight[j];

        rest += (double)d;
        other_rest += (double)(d * ((x[j] - mean) * scale));
    }
    return (struct norm_means){(float)((elements_fold(part) + rest) / (double)c),
                               (float)((elements_fold(other) + other_rest) / (double)c)};
}

static void norm_backward(const struct element_norm *norm, long row_begin, long row_end)
{
    const float *weight = norm->weight;
    long c = norm->columns;

    for (long row = row_begin; row < row_end; row++) {
        const float *x = norm->input + row * c, *g = norm->gradient + row * c;
        float *to = norm->input_gradient + row * c;
        float mean = norm->mean[row], scale = norm->scale[row], keep = norm->adds ? 1 : 0;
        const struct norm_means means = norm_means_of(norm, row);
        float offset = means.offset, slope = means.slope;

#pragma omp simd
        for (long j = 0; j < c; j++) {
            float d = scale * (g[j] * weight[j] - offset - (x[j] - mean) * scale * slope);

            to[j] = keep > 0 ? to[j] + d : d;
        }
    }
}

static void norm_learn(const struct element_norm *norm, long rows, long begin, long end)
{
    long c = norm->columns;

    for (long from = begin; from < end; from += STRIP) {
        long width = end - from < STRIP ? end - from : STRIP;
        double weights[STRIP] = {0}, biases[STRIP] = {0};

        for (long row = 0; row < rows; row++) {
            const float *x = norm->input + row * c + from, *g = norm->gradient + row * c + from;
            float mean = norm->mean[row], scale = norm->scale[row];

#pragma omp simd
            for (long j = 0; j < width; j++) {
                weights[j] += (double)(g[j] * ((x[j] - mean) * scale));
                biases[j] += (double)g[j];
            }
        }
        for (long j = 0; j < width; j++) {
            norm->weight_gradient[from + j] = (float)weights[j];
            norm->bias_gradient[from + j] = (float)biases[j];
        }
    }
}

static float elements_largest(const float *row, long count)
{
    float part[LANES], most = row[0];
    long i = 0;

    for (int lane = 0; lane < LANES; lane++)
        part[lane] = row[0];
    for (; i + LANES <= count; i += LANES)
#pragma omp simd
        for (int lane = 0; lane < LANES; lane++)
            part[lane] = row[i + lane] > part[lane] ? row[i + lane] : part[lane];
    for (; i < count; i++)
        most = row[i] > most ? row[i] : most;
    for (int lane = 0; lane < LANES; lane++)
        most = part[lane] > most ? part[lane] : most;
    return most;
}

static void elements_exponentials(float *row, long count, float most, float scale)
{
#pragma omp simd
    for (long j = 0; j < count; j++)
        row[j] = exp_of((row[j] - most) * scale);
}

static double softmax_loss(float *row, long classes, long label, float share)
{
    float most = elements_largest(row, classes), of_label = row[label] - most, factor;
    double sum;

    elements_exponentials(row, classes, most, 1);
    sum = sum_of(row, classes);
    factor = (float)((double)share / sum);
#pragma omp simd
    for (long j = 0; j < classes; j++)
        row[j] *= factor;
    row[label] -= share;
    return log(sum) - (double)of_label;
}

static void elements_softmax(float *row, long count, float scale)
{
    float most = elements_largest(row, count), factor;

    elements_exponentials(row, count, most, scale);
    factor = (float)(1 / sum_of(row, count));
#pragma omp simd
    for (long j = 0; j < count; j++)
        row[j] *= factor;
}

static void softmax_backward(const float *row, long count, float scale, float *gradient)
{
    float sum = (float)product_sum(row, gradient, count);

#pragma omp simd
    for (long j = 0; j < count; j++)
        gradient[j] = row[j] * (gradient[j] - sum) * scale;
}

#include "engine/train/kernels/elements_learn.h"

const struct elements ELEMENTS_NAME = {
    .name = ELEMENTS_TEXT,
    .isa = ELEMENTS_ISA,
    .round = round_numbers,
    .round_floats = round_floats,
    .add = elements_add,
    .finish = finish_rows,
    .relu_backward = relu_backward,
    .gelu_backward = gelu_backward,
    .sum_columns = sum_columns,
    .drop = elements_drop,
    .pool = elements_pool,
    .pool_backward = pool_backward,
    .lstm_forward = lstm_forward,
    .lstm_backward = lstm_backward,
    .norm_forward = norm_forward,
    .norm_backward = norm_backward,
    .norm_learn = norm_learn,
    .softmax_loss = softmax_loss,
    .softmax = elements_softmax,
    .softmax_backward = softmax_backward,
    .learn = elements_learn,
};
