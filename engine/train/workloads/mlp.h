/* The workload "mlp": a perceptron with one hidden layer, 1024 - 512 - 10, trained by plain
 * gradient descent on a fixed batch of noise with labels index % 10. Small, and all of training:
 * forward, mean cross-entropy, backward, update. */
#pragma once

#include "engine/train/net/net.h"

#define MLP_INPUTS 1024L
#define MLP_HIDDEN 512L
#define MLP_CLASSES 10L
#define MLP_PARAMETERS (MLP_INPUTS * MLP_HIDDEN + MLP_HIDDEN * MLP_CLASSES)
#define MLP_MULTIPLY_ADDS MLP_PARAMETERS /* of one sample, forward: no weight is used twice */
/* Back to all weights, and to what the second layer reads. */
#define MLP_BACKWARD_MULTIPLY_ADDS (MLP_MULTIPLY_ADDS + MLP_HIDDEN * MLP_CLASSES)

/* A net that has neither logits nor parameters to show: of the functions in net.h only
 * net_step(), net_free(), net_facts() and net_names() may be called. Its batch is made once, so a
 * step spends nothing on input. NULL with the reason. */
struct net *mlp_new(long batch_size, unsigned seed, struct error *err)
    __attribute__((warn_unused_result));
