/* A batch-norm over the whole batch, worked by several threads on images of their own. Each
 * thread leaves sums; when all have met, each makes the coefficients it needs from all of the
 * sums, in the same order, so that all have the same and nobody waits again. */
#pragma once

#include "engine/train/kernels/passes.h"

struct norm;

/* What one thread knows of a batch-norm: floats, one a channel (affine: two). */
struct norm_lane {
    double *sums;          /* forward: of values and squares */
    double *backward_sums; /* as passes->mask leaves them: up to three a channel */
    float *affine;         /* scale of each channel, then shift */
    float *mean, *inverse_deviation;
    float *slope, *offset; /* for passes->unnorm */
};

struct norm_shape {
    long channels;
    long long count; /* numbers behind each mean */
    int lanes;
};

/* `scale` and `shift` stay the caller's. */
struct norm *norm_new(const struct norm_shape *shape, struct parameter *scale,
                      struct parameter *shift, struct error *err)
    __attribute__((warn_unused_result));

/* NULL is fine. */
void norm_free(struct norm *norm);

const struct norm_lane *norm_at(const struct norm *norm, int lane);

/* Empties a thread's sums before it starts to add to them. */
void norm_start_forward(struct norm *norm, int lane);
void norm_start_backward(struct norm *norm, int lane);

/* From everybody's sums to this thread's affine, mean and deviation. Thread 0 keeps the running
 * statistics. */
void norm_finish_forward(struct norm *norm, int lane);

/* From everybody's sums to this thread's slope and offset. The sums are those of `summed`: the
 * batch-norm itself, or the one beside which a shortcut's was summed. Thread 0 writes the
 * gradients of scale and shift. */
void norm_finish_backward(struct norm *norm, const struct norm *summed, int lane);

/* As PyTorch keeps them for inference. */
const float *norm_running_mean(const struct norm *norm);
const float *norm_running_variance(const struct norm *norm);
