/* Tokens to rows of a table, which a dense layer may share. */
#pragma once

#include "engine/train/layerwise/layerwise_data.h"
#include "engine/train/layerwise/product.h"

/* A part of the gradient that a layer has for the shared table, which learns at once: the rows of
 * the step's tokens are kept until this node adds its own gradient to them, all others learn. */
void embedding_learn(struct op *op, const struct product_done *gradient);

/* Between steps: the table is to be read by others. */
void embedding_finish(struct op *op);
