/* The steps of optimizers for elements_body.c: optimizer.h has their formulas. */
#pragma once

#include "engine/train/networks/optimizer.h"

#include <math.h>
#include <stddef.h>

static void learn_sgd(const struct optimizer_step *s, size_t count, const float *gradient,
                      float *velocity, float *value)
{
    float momentum = s->momentum, decay = s->weight_decay, rate = s->rate;

#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        velocity[i] = momentum * velocity[i] + gradient[i] + decay * value[i];
        value[i] -= rate * velocity[i];
    }
}

static void learn_rmsprop(const struct optimizer_step *s, size_t count, const float *gradient,
                          float *square, float *value)
{
    float rho = s->rho, rest = s->rho_rest, eps = s->eps, rate = s->rate;

#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        float g = gradient[i];

        square[i] = rho * square[i] + rest * g * g;
        value[i] -= rate * g / (sqrtf(square[i]) + eps);
    }
}

static void learn_adadelta(const struct optimizer_step *s, size_t count, const float *gradient,
                           float *square, float *moved, float *value)
{
    float rho = s->rho, rest = s->rho_rest, eps = s->eps, rate = s->rate;

#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        float g = gradient[i], d;

        square[i] = rho * square[i] + rest * g * g;
        d = g * sqrtf(moved[i] + eps) / sqrtf(square[i] + eps);
        moved[i] = rho * moved[i] + rest * d * d;
        value[i] -= rate * d;
    }
}

static void learn_adam(const struct optimizer_step *s, size_t count, const float *gradient,
                       float *mean, float *square, float *value)
{
    float beta1 = s->beta1, rest1 = s->beta1_rest, beta2 = s->beta2, rest2 = s->beta2_rest;
    float step = s->rate * s->first_scale, scale = s->second_scale, eps = s->eps;
    float keep = 1 - s->rate * s->weight_decay;

#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        float g = gradient[i];

        mean[i] = beta1 * mean[i] + rest1 * g;
        square[i] = beta2 * square[i] + rest2 * g * g;
        value[i] = value[i] * keep - step * mean[i] / (sqrtf(square[i] * scale) + eps);
    }
}

static void elements_learn(const struct optimizer_step *step, size_t count, const float *gradient,
                           float *first, float *second, float *value)
{
    switch (step->kind) {
    case OPTIMIZER_SGD:
        learn_sgd(step, count, gradient, first, value);
        break;
    case OPTIMIZER_RMSPROP:
        learn_rmsprop(step, count, gradient, first, value);
        break;
    case OPTIMIZER_ADADELTA:
        learn_adadelta(step, count, gradient, first, second, value);
        break;
    case OPTIMIZER_ADAM:
    case OPTIMIZER_ADAMW:
        learn_adam(step, count, gradient, first, second, value);
        break;
    }
}
