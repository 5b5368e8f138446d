/* Memory of the depth-first plan, in one piece for the batch and one for each thread. Buffers of
 * the batch live from the first to the last time that a step needs them, and share memory where
 * their lives do not meet: forward through the stages are the times 0, 1, ..., then the head, and
 * then back through the stages. */
#pragma once

#include "engine/train/depth_first/depth_first_data.h"

/* Takes the memory of depth_first and its lanes and fills in the training images; the filters
 * must have been made. Refuses a batch that does not fit, with its need. */
MUST_USE bool depth_first_take_memory(struct depth_first *depth_first, struct error *err);
