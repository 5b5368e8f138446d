/* A residual network small enough for finite differences and sanitizers, with everything that
 * ResNet-50 has: a pool, projections with and without a stride, plain shortcuts. */
#pragma once

#include "engine/train/networks/resnet50.h"

#define SMALL_IMAGE 32
#define SMALL_CLASSES 16

static inline void small_network(struct network *ret_network)
{
    static const struct resnet_shape small = {.image = SMALL_IMAGE,
                                              .classes = SMALL_CLASSES,
                                              .stem_channels = 32,
                                              .stage_count = 2,
                                              .stages = {{2, 32, 64, 1}, {2, 32, 64, 2}}};

    resnet_describe(&small, ret_network);
}
