/* The step of SGD. A stage's weights take their step as soon as the stage's gradients are
 * complete, while these are in cache; so a thread needs memory for the gradients of two stages,
 * not of the whole network. */
#pragma once

#include "engine/train/depth_first/depth_first_data.h"

/* Takes the step of a stage's filters; each thread takes a slice of each. Call it in every thread
 * when all threads have written their sums; team_meet() before the sums are written again. With
 * other ranks it only sums the filters' gradients, and starts to join the previous stage's
 * gradients across ranks. */
void depth_first_sgd_step(struct lane *lane, const struct stage *stage);

/* Packs the thread's part of the weights that our kernels read at `time` (depth_first_data.h).
 * The memory is free when all threads have finished what came before time - 1, and the weights
 * are packed when all have met again. */
void depth_first_pack(struct lane *lane, int time);

/* Packs what the first stage reads on the way forward; one thread does it, before the first step.
 */
void depth_first_pack_first(struct depth_first *depth_first);

/* The rest of the update, when the last stage has taken its step: scales, shifts and the bias
 * learn, and the new weights are brought into the layouts that convolutions read. Waits for the
 * other threads first, and where there are other ranks for their gradients, with which the
 * filters then take their step. A failure is in lane->ok and lane->err. */
void depth_first_update(struct lane *lane);

/* Numbers of all scales, shifts and the bias. */
size_t depth_first_vectors(struct depth_first *depth_first);
