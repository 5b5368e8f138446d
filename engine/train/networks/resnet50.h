/* ResNet-50 v1.5, as the published training throughputs mean it, and smaller networks of the same
 * kind. */
#pragma once

#include "engine/train/networks/network.h"

#define RESNET50_IMAGE 224
#define RESNET50_CLASSES 1000
#define RESNET_STAGES_MAX 4

/* Blocks of the same size; the first of them has the stride. */
struct resnet_stage {
    int blocks, mid_channels, out_channels, stride;
};

struct resnet_shape {
    int image, classes, stem_channels;
    int stage_count;
    struct resnet_stage stages[RESNET_STAGES_MAX];
};

void resnet_describe(const struct resnet_shape *shape, struct network *ret_network);

void resnet50_describe(struct network *ret_network);
