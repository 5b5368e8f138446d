/* What the convolutions of a stage read: the activation of a chunk, from the output of the
 * convolution before it. */
#pragma once

#include "engine/train/depth_first/depth_first_chunks.h"

/* What the chunk's convolutions read, (n * H * H / parts, C) stored: made, if it is not kept;
 * `anew` makes even what is kept. */
void *depth_first_input(const struct chunk *chunk, bool anew);

/* The same for a layer that may look at every second pixel only: then (n * H/2 * H/2, C), in
 * lane->subsampled. */
void *depth_first_input_of(const struct chunk *chunk, const struct layer *layer, void *input);

/* Makes activation `activation`, whose part in the chunk `rows` is, in `result`, stored. */
void depth_first_activate(const struct chunk *chunk, int activation, struct rows rows,
                          void *result);

/* An image of the whole batch as the maximum pool behind an activation sees it. */
struct pass_pool depth_first_pool_of(const struct chunk *chunk,
                                     const struct activation *activation, long image);
