/* What is trained: named tensors of f32 with their gradients, and the update of SGD. */
#pragma once

#include "common/error.h"
#include "engine/train/networks/network.h"

#include <stdbool.h>
#include <stddef.h>

#define PARAMETERS_MAX 192

struct parameter {
    char name[LAYER_NAME_MAX + 8]; /* torchvision's: "layer1.0.conv1.weight" */
    size_t count;
    /* (count) each: of a convolution (O, I, H, W), of the linear layer (classes, C), of a
     * batch-norm or a bias (C). */
    float *value, *gradient, *velocity;
    float *second; /* (count): a second state of an optimizer, where parameters_allocate() made
                      one */
};

struct parameters {
    int count;
    struct parameter list[PARAMETERS_MAX];
    float *memory;
    size_t bytes; /* of the memory */
};

/* Learning as PyTorch's SGD defines it: weight decay is added to the gradient, momentum has no
 * dampening. */
struct sgd {
    float learning_rate, momentum, weight_decay;
};

/* Makes the parameters of `network` and fills them by tensor_init.h. The scale of each block's
 * last batch-norm is about 0.1. The caller frees them with parameters_free(). */
MUST_USE bool parameters_make(struct parameters *parameters, const struct network *network,
                              unsigned long long seed, struct error *err);
/* Zeroed memory for the listed parameters: value, gradient and 1 or 2 `states` each. The caller
 * frees it with parameters_free(). */
MUST_USE bool parameters_allocate(struct parameters *parameters, int states, struct error *err);
void parameters_free(struct parameters *parameters);

/* NULL when there is none of that name. */
struct parameter *parameters_find(struct parameters *parameters, const char *layer,
                                  const char *which);

/* Gives the memory of the value back to the system: what it holds is lost, and it may be written
 * again. */
void parameter_release(struct parameter *parameter);

/* value -= learning_rate * (gradient + ...), in the same order on every call. */
void parameters_update(struct parameters *parameters, const struct sgd *sgd);
