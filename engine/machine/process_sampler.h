/* Looks at what the machine does to a process. */
#pragma once

#include "engine/trace/observation.h"

#include <sys/types.h>

/* Fills in all but `steps` and `taken_ns`. `root` as in proc.h. Cheap enough for once a second: a
 * few files, and two for each thread of the process. What is not visible, or of a process that
 * has gone, is -1. */
void process_sampler_read(const char *root, pid_t process, struct observation *ret_observation);
