/* What the convolutions of a stage read: the activation of a chunk, from the output of the
 * convolution before it. */
#pragma once

#include "engine/train/depth_first/depth_first_chunks.h"

/* The input of the chunk's convolutions, (n * H * H / parts, C) stored: made on the way forward;
 * on the way back too, unless it was kept. */
void *depth_first_input(const struct chunk *chunk, bool forward);

/* The same for a layer that may look at every second pixel only: then (n * H/2 * H/2, C), in
 * lane->subsampled. */
void *depth_first_input_of(const struct chunk *chunk, const struct layer *layer, void *input);

/* Writes the chunk `rows` of activation `activation` to `result`, stored. On the way back the
 * activations that it adds may have to be made first, in `result` too. */
void depth_first_activate(const struct chunk *chunk, int activation, struct rows rows,
                          bool forward, void *result);

/* An image of the whole batch as the maximum pool behind an activation sees it. */
struct pass_pool depth_first_pool_of(const struct chunk *chunk,
                                     const struct activation *activation, long image);
