/* How a network falls into stages for working depth-first: a chunk of images goes through all of
 * a stage while it is in cache, and threads wait for each other only between stages, where a
 * batch-norm needs the sums of the whole batch. A batch-norm is cut in two for that: its
 * statistics belong to the stage of the convolution before it, its normalisation to the stage of
 * the one behind. */
#pragma once

#include "common/error.h"
#include "engine/train/networks/network.h"

/* The input of convolutions: relu(batch-norm(output of `conv`) + a shortcut), maybe pooled. */
struct activation {
    int conv;      /* the layer whose output it normalises */
    int pool;      /* the layer that takes the maximum behind it, or -1 */
    int adds;      /* the activation that is added before the ReLU, or -1 */
    int adds_conv; /* or the convolution that has a batch-norm but no ReLU of its own, or -1 */
    int added_to;  /* the activation that this one is added to, or -1 */
    bool kept;     /* in memory, because it is read more than once; else recomputed each time */
    /* If kept: only for the way forward. The way back recomputes it, from convolutions' outputs
     * and maybe from an activation that is still there. */
    bool again;
};

#define STAGE_CONVS_MAX 2

/* The convolutions that read one activation. */
struct stage {
    int reads; /* an activation, or -1: the images */
    int count;
    int convs[STAGE_CONVS_MAX]; /* (count): layers */
};

struct stages {
    int count, activation_count;
    struct stage list[LAYERS_MAX];
    struct activation activations[LAYERS_MAX];
    int last;   /* the activation that the mean is taken of */
    int linear; /* the layer behind it */
};

/* Fails on a network that is not made of residual blocks like ResNet's. */
MUST_USE bool stages_of(const struct network *network, struct stages *ret_stages,
                        struct error *err);

/* Marks the activations to recompute: of those that add up, at most `longest` in a row, which the
 * way back makes one from the other. None if it is 0. */
void stages_make_again(struct stages *stages, int longest);

/* The activation that normalises the output of layer `conv` (or adds it): its gradient is the
 * gradient of that batch-norm's output. */
int stages_behind(const struct stages *stages, int conv);
