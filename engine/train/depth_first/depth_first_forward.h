/* Forward through the stages. For each chunk, the thread makes the activation, convolves it, and
 * sums the output for the next batch-norm, all while the chunk is in cache. */
#pragma once

#include "engine/train/depth_first/depth_first_data.h"

/* One thread's share; ends when all threads have met behind the last stage. A failure is in
 * lane->ok and lane->err. */
void depth_first_forward(struct lane *lane);
