/* Which processors each of several processes on one machine takes, where all of them may use the
 * same. Without it the threads of each would go to the same cores. */
#pragma once

#include "engine/machine/topology.h"

#include <stdbool.h>

/* Share `index` of `of` of the cores, with all their processors: cores that are next to each
 * other stay together, so a share is of one node where that divides. Of more shares than cores
 * each is one core, and as many have the same one as must. Returns how many processors there are
 * in ret_cpus; 0 where no core is known. */
int processor_share(const struct topology *topology, int index, int of,
                    int ret_cpus[PROCESSORS_MAX]);

/* Keeps this process, from its calling thread on, to that share of its processors. Call it before
 * threads are started. Where it is not possible nothing changes. */
void processor_share_keep(int index, int of);
