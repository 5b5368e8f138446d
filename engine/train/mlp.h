/* The workload "mlp": a perceptron with one hidden layer, 1024 - 512 - 10, trained by plain
 * gradient descent on a fixed batch of noise with labels index % 10. Small, and all of training:
 * forward, mean cross-entropy, backward, update. */
#pragma once

#include "common/error.h"
#include "engine/trace/steps.h"

#include <stdbool.h>

#define MLP_INPUTS 1024L
#define MLP_HIDDEN 512L
#define MLP_CLASSES 10L
#define MLP_PARAMETERS (MLP_INPUTS * MLP_HIDDEN + MLP_HIDDEN * MLP_CLASSES)
#define MLP_MULTIPLY_ADDS MLP_PARAMETERS /* of one sample, forward: no weight is used twice */

struct mlp;

struct mlp *mlp_new(long batch_size, unsigned seed, struct error *err)
    __attribute__((warn_unused_result));

/* One step; *ret_loss is the mean loss before the update. Its batch is made once, so there is no
 * input to wait for. */
bool mlp_step(struct mlp *mlp, double *ret_loss, struct step_split *ret_split, struct error *err)
    __attribute__((warn_unused_result));

/* NULL is fine. */
void mlp_free(struct mlp *mlp);
