/* A batch-norm over the whole batch, computed by several threads that each own images. Each
 * thread writes sums; when all threads have met, each computes the coefficients that it needs
 * from all sums, in the same order: all get equal coefficients without waiting a second time.
 *
 * Sums are f64 over blocks of 32 rows in f32 (passes->statistics). So the mean does not depend on
 * how many images a thread owns beyond the rounding of f64, and is as exact as if all sums were
 * f64. */
#pragma once

#include "engine/train/kernels/passes.h"

struct norm;

/* One thread's sums and coefficients. */
struct norm_lane {
    double *sums;             /* (2, channels): forward, of values and of squares */
    double *backward_sums;    /* (3, channels): as passes->mask writes them */
    float *affine;            /* (2, channels): scale, then shift */
    float *mean;              /* (channels) */
    float *inverse_deviation; /* (channels) */
    float *slope;             /* (channels): for passes->batchnorm_backward */
    float *offset;            /* (channels): the same */
};

struct norm_shape {
    long channels;
    long long count; /* numbers behind each mean */
    int lanes;
};

/* `scale` and `shift` stay the caller's. */
MUST_USE struct norm *norm_new(const struct norm_shape *shape, struct parameter *scale,
                               struct parameter *shift, struct error *err);

/* NULL is fine. */
void norm_free(struct norm *norm);

const struct norm_lane *norm_at(const struct norm *norm, int lane);

/* Empties a thread's sums before it starts to add to them. */
void norm_start_forward(struct norm *norm, int lane);
void norm_start_backward(struct norm *norm, int lane);

/* Computes this thread's affine, mean and deviation from the sums of all threads. Thread 0 also
 * updates the running statistics. */
void norm_finish_forward(struct norm *norm, int lane);

/* Computes this thread's slope and offset from the sums of all threads. `summed` has the
 * sums: the batch-norm itself, or, for a shortcut's, the one that it was summed with. Thread 0
 * writes the gradients of scale and shift. */
void norm_finish_backward(struct norm *norm, const struct norm *summed, int lane);

/* (channels) each, as PyTorch keeps them for inference. */
const float *norm_running_mean(const struct norm *norm);
const float *norm_running_variance(const struct norm *norm);
