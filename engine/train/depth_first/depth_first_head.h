/* After the last stage: the mean over each image, the linear layer, the loss, and back. */
#pragma once

#include "engine/train/depth_first/depth_first_data.h"

/* One thread's share; writes the losses of its images and lane->forward_end, and takes the step
 * of the linear layer. A failure is in lane->ok and lane->err. */
void depth_first_head(struct lane *lane);
