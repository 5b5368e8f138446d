/* ResNet-50 v1.5 with 1000 classes, as torchvision has it. */
#pragma once

#include "engine/train/network.h"

#define RESNET50_IMAGE 224
#define RESNET50_CLASSES 1000

void resnet50_describe(struct network *ret_network);
