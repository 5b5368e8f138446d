/* What a batch-norm keeps for inference. */
#pragma once

#include "engine/train/layerwise/layerwise_data.h"

/* Of the op of a batch-norm, (columns) each. */
void batch_norm_running(const struct op *op, const float **ret_mean, const float **ret_variance);
