/* The step of the optimizer. The weight of a dense layer takes it as soon as numbers of its
 * gradient are complete, while these are in a cache; so all such gradients have one place in
 * memory, one after another. The other parameters, and all where gradients are shown or other
 * ranks add to them, learn when the backward pass has ended. */
#pragma once

#include "engine/train/layerwise/layerwise_data.h"
#include "engine/train/layerwise/share.h"

/* Decides which parameters learn at once. */
void learn_choose(struct layerwise *net);

/* Numbers that the common place saves. */
size_t learn_saves(const struct layerwise *net);

/* Gives the gradients the common place. */
MUST_USE bool learn_make(struct layerwise *net, struct error *err);

/* The step of a matrix, of these rows and columns: every thread must have read the weight for the
 * last time in this step. */
void learn_part(struct layerwise *net, int index, struct share rows, struct share columns);

/* The thread's share of all parameters that do not learn at once. */
void learn_rest(struct layerwise *net, int thread);
