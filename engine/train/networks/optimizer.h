/* How parameters learn from their gradients, as data. */
#pragma once

#include <stdbool.h>

enum optimizer_kind {
    OPTIMIZER_SGD,
    OPTIMIZER_RMSPROP,
    OPTIMIZER_ADADELTA,
    OPTIMIZER_ADAM,
    OPTIMIZER_ADAMW,
};

/* With p the parameter, g its gradient, t = 1 at the first step, and all states 0 before it:
 * sgd: v = momentum v + g + weight_decay p; p -= rate v.
 * rmsprop: v = rho v + (1 - rho) g^2; p -= rate g / (sqrt(v) + eps).
 * adadelta: v as in rmsprop; d = g sqrt(u + eps) / sqrt(v + eps); u = rho u + (1 - rho) d^2;
 * p -= rate d.
 * adam: m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
 * p -= rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps).
 * adamw: first p -= rate weight_decay p, of tensors of two dimensions; then adam. */
struct optimizer {
    enum optimizer_kind kind;
    double lr, lr_decay; /* the rate of step s, from 0, is lr / (1 + lr_decay s) */
    double momentum, rho, beta1, beta2, eps, weight_decay; /* 0 where the kind has no such one */
};

/* "sgd", "rmsprop", "adadelta", "adam", "adamw". */
const char *optimizer_name(enum optimizer_kind kind);

/* Number of state tensors per parameter: 1 or 2. */
int optimizer_states(enum optimizer_kind kind);

/* The constants of one step, as the loops over elements want them. */
struct optimizer_step {
    enum optimizer_kind kind;
    float rate, momentum, rho, beta1, beta2, eps, weight_decay;
    float rho_rest, beta1_rest,
        beta2_rest;                  /* 1 - rho, ...: rounded once, or they are off by 1e-5 */
    float first_scale, second_scale; /* of adam: 1 / (1 - beta1^t), 1 / (1 - beta2^t) */
};

/* Step `step`, from 0, of a parameter that is a matrix or not. */
struct optimizer_step optimizer_at(const struct optimizer *optimizer, long long step,
                                   bool matrix);
