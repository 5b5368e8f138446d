/* Every kind of node. */
#pragma once

#include "engine/train/layerwise/layerwise_data.h"

extern const struct op_functions dense_functions, conv_functions, max_pool_functions,
    mean_functions, dropout_functions, one_hot_functions, embedding_functions, lstm_functions,
    batch_norm_functions, layer_norm_functions, attention_functions, loss_functions;
