/* What a loss says after a step. */
#pragma once

#include "engine/train/layerwise/layerwise_data.h"

/* Of the op of a loss: the mean loss of the step, times its share, and one logit. */
double loss_of(const struct op *op);
float loss_logit(const struct op *op, long row, long class);
