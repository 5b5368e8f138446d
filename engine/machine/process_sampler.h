/* Reads how the machine treats a process: context switches, memory, throttling and the like. */
#pragma once

#include "engine/trace/observation.h"

#include <sys/types.h>

/* Fills in all members but `steps` and `taken_ns`. `root` as in proc.h. Cheap enough for once a
 * second: a few files, and two per thread of the process. Unknown values are -1, also if the
 * process has ended. */
void process_sampler_read(const char *root, pid_t process, struct observation *ret_observation);
