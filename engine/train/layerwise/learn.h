/* The step of the optimizer. The weight of a dense layer takes it as soon as numbers of its
 * gradient are complete, while these are in a cache; so all such gradients have one place in
 * memory, one after another. If an embedding shares the weight, the rows of the step's tokens
 * wait for its gradient. A table whose rows are many more than the step's tokens learns late
 * (late_rows.h). The other parameters, and all where gradients are shown or other ranks add to
 * them, learn when the backward pass has ended. */
#pragma once

#include "engine/train/layerwise/layerwise_data.h"
#include "engine/train/layerwise/product.h"

/* Decides when each parameter learns. */
void learn_choose(struct layerwise *net);

/* Numbers of gradients that need no memory, at least. */
size_t learn_saves(const struct layerwise *net);

/* Parameter `index`, which learns at once, needs a place of so many numbers for its gradient. */
void learn_needs(struct layerwise *net, int index, size_t numbers);

/* Gives the gradients the common place, as large as the largest need. */
MUST_USE bool learn_make(struct layerwise *net, struct error *err);

/* The step of a matrix, of these rows and columns: every thread must have read the weight for the
 * last time in this step. */
void learn_part(struct layerwise *net, int index, const struct product_done *gradient);

/* The thread's share of all parameters that learn at the end. */
void learn_rest(struct layerwise *net, int thread);
