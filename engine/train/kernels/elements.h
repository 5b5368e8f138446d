/* The element-wise work of a graph's nodes, fused so that each number is touched once. One source
 * (elements_body.c) compiled for several instruction sets; all compute the same bits. Values are
 * f32; a function works on the part of them that it gets, so that threads share a tensor. */
#pragma once

#include "engine/machine/cpu.h"
#include "engine/train/networks/graph.h"
#include "engine/train/networks/optimizer.h"

#include <stdint.h>

/* What follows a product: value = activation(from + bias + adds), and the value rounded. */
struct element_finish {
    const float *from; /* rows of `stride`; may be the value */
    float *value;      /* as from */
    uint16_t *rounded; /* as from: as round() does; NULL: none */
    float *rounded_floats;
    const float *bias, *adds; /* (stride), and as value; NULL: none */
    float *before;            /* as value: what the GELU reads; NULL otherwise */
    enum activation activation;
    long stride;
    long row_begin, row_end, begin, end; /* the part: rows, columns */
};

/* One step of an LSTM for one sequence, H cells; the gates lie as i f g o. */
struct element_lstm {
    long cells;
    const float *input;         /* (4H): W_ih x; may be the gates */
    float *gates;               /* (4H): forward: what the gates let through; backward: the
                                 * gradients of their sums */
    const float *recurrent;     /* (4H): W_hh h, or NULL at the first step */
    const float *bias, *bias_h; /* (4H) each */
    const float *before;        /* (H): the cells before this step, or NULL: zero */
    float *cell, *state;        /* (H) each */
    const float *state_gradient;
    float *cell_gradient; /* (H): of the cells behind this step; then of those before it */
};

/* Layer norm of rows; mean and the reciprocal of the deviation are kept for the way back. */
struct element_norm {
    long columns;
    float epsilon;
    const float *weight, *bias, *input;
    float *output;
    float *mean, *scale;   /* (rows) each */
    const float *gradient; /* of the output */
    float *input_gradient; /* written, or added to */
    float *weight_gradient, *bias_gradient;
    bool adds;
};

/* Dropout: to = from * scale where tensor_init_bits(start, i) reach keep_from, and 0 elsewhere.
 */
struct element_drop {
    const float *from;
    float *to;
    uint64_t start;
    uint32_t keep_from;
    float scale;
    size_t begin, end; /* the part */
};

/* A line of the end of a convolution and of the pool behind it: of each channel the largest of
 * 2 x 2 pixels with the bias added, and which it is: 0 to 3, the first of equal ones. */
struct element_pool {
    const float *from; /* two lines of pixels, which have their channels last */
    long line;         /* numbers from the first line to the second */
    const float *bias; /* (columns) */
    bool relu;
    long width, columns; /* pixels and channels of the result */
    float *value;        /* (width, columns) */
    int32_t *which;
};

/* The way back to both lines of pixels. */
struct element_unpool {
    const float *gradient; /* (width, columns) */
    const int32_t *which;
    long width, columns;
    float *to;
    long line;
};

struct elements {
    const char *name;
    enum cpu_isa isa; /* required instruction set */

    /* To bf16, to nearest, ties to even; as bf16, or still as f32. */
    void (*round)(const float *values, size_t count, uint16_t *result);
    void (*round_floats)(const float *values, size_t count, float *result);
    /* result += values. */
    void (*add)(const float *values, size_t count, float *result);

    void (*finish)(const struct element_finish *finish);
    /* result = the gradient, which it may be, and 0 where the value is not above 0. */
    void (*relu_backward)(const float *value, const float *gradient, size_t count, float *result);
    /* gradient *= the slope of GELU. */
    void (*gelu_backward)(const float *before, size_t count, float *gradient);
    /* result[begin .. end) = the sums of these columns of `rows` rows of `stride`. */
    void (*sum_columns)(const float *values, long rows, long stride, long begin, long end,
                        float *result);

    void (*drop)(const struct element_drop *drop);

    void (*pool)(const struct element_pool *pool);
    /* The gradient of each result goes to the pixel that was the largest, and 0 to the others. */
    void (*pool_backward)(const struct element_unpool *pool);

    void (*lstm_forward)(const struct element_lstm *lstm);
    void (*lstm_backward)(const struct element_lstm *lstm);

    void (*norm_forward)(const struct element_norm *norm, long row_begin, long row_end);
    void (*norm_backward)(const struct element_norm *norm, long row_begin, long row_end);
    /* The gradients of weight and bias, of these columns over all rows. */
    void (*norm_learn)(const struct element_norm *norm, long rows, long begin, long end);

    /* The loss of a row of logits; the row becomes its gradient, times `share`. */
    double (*softmax_loss)(float *row, long classes, long label, float share);
    /* row = softmax(row * scale). */
    void (*softmax)(float *row, long count, float scale);
    /* gradient = the gradient of the row before softmax(row * scale). */
    void (*softmax_backward)(const float *row, long count, float scale, float *gradient);

    /* One step of count elements of a parameter; second is NULL where the kind has one state. */
    void (*learn)(const struct optimizer_step *step, size_t count, const float *gradient,
                  float *first, float *second, float *value);
};

/* The fastest for a processor that has `isa`. */
const struct elements *elements_for(enum cpu_isa isa);

/* All that were compiled, for tests; NULL behind the last. */
const struct elements *elements_at(int index);
