/* Optimizers over flat arrays: one step, each array read once and written once. */
#pragma once

enum learn_kind {
    LEARN_SGD,
    LEARN_RMSPROP,
    LEARN_ADADELTA,
    LEARN_ADAM,
    LEARN_ADAMW,
};

/* With w the weight, g its gradient, t = 1 at the first step, all states 0 before it:
 * sgd: v = momentum v + g + weight_decay w; w -= rate v.
 * rmsprop: v = rho v + (1 - rho) g^2; w -= rate g / (sqrt(v) + eps).
 * adadelta: v as in rmsprop; d = g sqrt(u + eps) / sqrt(v + eps); u = rho u + (1 - rho) d^2;
 * w -= rate d.
 * adam: m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
 * w -= rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps).
 * adamw: first w -= rate weight_decay w; then adam. */
struct learn_rule {
    enum learn_kind kind;
    float rate, momentum, rho, beta1, beta2, eps, weight_decay;
    float first_scale, second_scale; /* of adam: 1 / (1 - beta1^t), 1 / (1 - beta2^t) */
};

struct learn_arrays {
    float *weights;
    const float *gradient; /* NULL: zeros */
    float *first;          /* v of sgd and rmsprop, m of adam, v of adadelta */
    float *second;         /* v of adam, u of adadelta; else NULL */
    void *copy;            /* the weights as the set stores numbers, or NULL */
};

struct learn_kernel {
    void (*run)(const struct learn_rule *rule, const struct learn_arrays *arrays, long begin,
                long end);
};
