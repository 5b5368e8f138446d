/* Backward through the stages. The thread computes each batch-norm's gradient for one chunk from
 * the sums of the stage behind it, and computes activations that are not kept a second time, so
 * that neither goes through memory. Each stage's weights take their step before the next stage.
 */
#pragma once

#include "engine/train/depth_first/depth_first_data.h"

/* One thread's share; the last stage's weights are complete only when all threads have met again.
 * A failure is in lane->ok and lane->err. */
void depth_first_backward(struct lane *lane);
