/* One step: all threads run forward, head, backward and update, each on its own images. */
#pragma once

#include "engine/train/depth_first/depth_first_data.h"

/* net_step() of a `struct depth_first`. */
MUST_USE bool depth_first_step(struct net *net, double *ret_loss, struct step_split *ret_split,
                               struct error *err);

/* Makes part `index` of `of` of the next batch; the batch loader calls it with a
 * `struct depth_first`. */
void depth_first_load_part(void *user, int index, int of);
