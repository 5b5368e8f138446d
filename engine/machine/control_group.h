/* The limits of this process's control group: processor time and memory. Reads versions 1 and 2,
 * at the places where /proc/self/mountinfo says that they are mounted: in a container the mount
 * often shows the container's own group as its root, while /proc/self/cgroup names the path that
 * the host knows. `root` as in proc.h. */
#pragma once

#include <stdbool.h>

/* Processor time in processors: the lowest limit of the group and its parents; 0: no limit. */
double control_group_quota(const char *root);

struct group_memory {
    long long limit; /* bytes: the lowest of the group and its parents; 0: no limit */
    long long room;  /* bytes still available, caches counted as free; -1 without a limit */
    long long kills; /* processes that the kernel killed for memory; -1 unknown */
};

void control_group_memory(const char *root, struct group_memory *ret_memory);
