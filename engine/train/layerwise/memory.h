/* The memory of a net of the layerwise plan. */
#pragma once

#include "common/error.h"
#include "engine/train/layerwise/layerwise_data.h"

#include <stddef.h>

/* Zeroed memory that lives as long as the net; NULL with the reason. */
MUST_USE void *layerwise_take(struct layerwise *net, size_t bytes, struct error *err);
void layerwise_give_all_back(struct layerwise *net);
