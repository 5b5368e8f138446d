/* The element-wise work between two convolutions, fused so that a chunk of images is touched
 * while it is in cache. One source (passes_body.c) compiled for several instruction sets and for
 * both number formats, and for bf16 a set by the instructions that round to it
 * (passes_avx512bf16.c). All sets of a format compute the same bits, but for results smaller than
 * 1.2e-38: those instructions make them zero.
 *
 * Values are rows of channels, one row a pixel, stored as f32 or bf16; sums, statistics and
 * coefficients are not: they are as wide as they are declared here. */
#pragma once

#include "engine/machine/cpu.h"
#include "engine/train/networks/parameters.h"
#include "engine/train/onednn/dnn.h"

#include <stdint.h>

#define CHANNELS_MAX 2048

struct rows {
    long count, channels;
};

/* relu(values * scale + shift + shortcut), where the shortcut may have a batch-norm of its own.
 * The result may take the shortcut's place.
 * In this file (rows) stands for (rows.count, rows.channels) stored numbers. */
struct pass_join {
    const void *values, *shortcut; /* (rows) each */
    const float *affine;           /* (2, channels): scale, then shift */
    const float *shortcut_affine;  /* (2, channels), or NULL: add the shortcut as it is */
};

/* From the gradient of a batch-norm's output to its input's: scale * gradient + slope * (values -
 * mean) + offset. */
struct pass_batchnorm_backward {
    const void *gradient, *values;              /* (rows) each */
    const float *scale, *slope, *mean, *offset; /* (channels) each */
};

/* The gradient through a ReLU, and what the batch-norm before it needs of it. */
struct pass_mask {
    const void *gradient;     /* (rows) */
    const void *add;          /* (rows): a second gradient, or NULL */
    const void *active;       /* (rows): the ReLU's output */
    void *result;             /* (rows): gradient + add where active; may be `active` itself */
    const void *values;       /* (rows): the batch-norm's input */
    const void *other_values; /* (rows): the input of the shortcut's batch-norm, or NULL */
    const float *mean, *other_mean; /* (channels) each */
};

/* The maximum over 3x3 windows, two apart, of relu(values * scale + shift); one image. What is
 * not a number is larger than all that is. */
struct pass_pool {
    long size, channels; /* of the input: height and width */
    const void *values;  /* (size, size, channels) */
    const float *affine; /* (2, channels) */
    const float *mean;   /* (channels) */
    uint8_t *chosen; /* (size/2, size/2, channels): which of the nine; 9: none is above zero */
};

/* One slice of SGD: sums the gradient's copies in their order and takes the step. */
struct pass_learn {
    float *const *copies; /* (copy_count), each (end) */
    int copy_count;
    float *weights;    /* (end) */
    float *velocity;   /* (end), or NULL without momentum */
    float *gradient;   /* (end): the sum of the copies, or NULL */
    size_t begin, end; /* the slice: other numbers stay untouched */
};

struct passes {
    const char *name;
    enum cpu_isa isa; /* required instruction set */
    enum dnn_type type;

    /* sums[0 .. c) += values, sums[c .. 2c) += squares. */
    void (*statistics)(const void *values, struct rows rows, double *sums);
    /* relu(values * scale + shift). */
    void (*activate)(const void *values, const float *affine, struct rows rows, void *result);
    void (*join)(const struct pass_join *join, struct rows rows, void *result);
    void (*batchnorm_backward)(const struct pass_batchnorm_backward *batchnorm_backward,
                               struct rows rows, void *result);
    /* sums[0 .. c) += result, [c .. 2c) += result * (values - mean), [2c .. 3c) the same of the
     * other values, if there are any. */
    void (*mask)(const struct pass_mask *mask, struct rows rows, double *sums);

    /* result += values. */
    void (*add)(const void *values, struct rows rows, void *result);

    /* Every second pixel of every second line of one image. */
    void (*subsample)(const void *image, long size, long channels, void *result);
    /* Adds to those pixels. */
    void (*add_subsampled)(const void *small, long size, long channels, void *image);

    void (*pool)(const struct pass_pool *pool, void *result);
    /* From the gradient of its output to the gradient of the batch-norm's output, with sums as in
     * mask. */
    void (*unpool)(const struct pass_pool *pool, const void *gradient, void *result,
                   double *sums);

    /* The mean of all rows, and its gradient. */
    void (*mean)(const void *values, struct rows rows, void *result);
    void (*spread)(const void *gradient, struct rows rows, void *result);

    /* Three planes of f32 to rows of three channels. */
    void (*take_image)(const float *planes, long pixels, void *result);

    void (*to_floats)(const void *values, size_t count, float *result);
    void (*from_floats)(const float *values, size_t count, void *result);
    void (*accumulate)(const float *values, size_t count, float *result);
    void (*learn)(const struct pass_learn *learn, const struct sgd *sgd);
};

/* The fastest passes for a processor that has `isa`. */
const struct passes *passes_for(enum cpu_isa isa, enum dnn_type type);

/* All that were compiled, for tests; NULL behind the last. */
const struct passes *passes_at(int index);
