/* The step of SGD. A stage's weights take their step as soon as the stage's gradients are
 * complete, while these are in cache; so a thread needs memory for the gradients of two stages,
 * not for those of the whole network. */
#pragma once

#include "engine/train/depth_first/depth_first_data.h"

/* Takes the step of a stage's filters; each thread takes a slice of each. Call it in every thread
 * when all threads have written their sums; team_meet() before the sums are written again. */
void depth_first_sgd_step(struct lane *lane, const struct stage *stage);

/* The rest of the update, when the last stage has taken its step: scales, shifts and the bias
 * learn, and the new weights are brought into the layouts that convolutions read. Waits for the
 * other threads first. A failure is in lane->ok and lane->err. */
void depth_first_update(struct lane *lane);
