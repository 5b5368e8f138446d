/* The processors that this process may use, and how they hang together. */
#pragma once

#include "common/limits.h"

#include <stdbool.h>
#include <stddef.h>

/* One that the operating system schedules: a hardware thread of a core. */
struct processor {
    int cpu; /* the system's number for it */
    int core, package, node;
    int sibling; /* 0: the first of its core that we may use, 1: the second ... */
};

/* The processors are in the order in which threads should take them: the first of each core, by
 * node, package and core; then their siblings. */
struct topology {
    int cpu_count, core_count, package_count, node_count;
    double quota; /* processors' worth of time that our control group grants; 0: no limit */
    struct processor cpus[PROCESSORS_MAX];
};

/* `root` as in proc.h; with "" only processors of our affinity count, else all that are online in
 * that tree. Where nothing is visible each processor is a core of its own. */
void topology_read(const char *root, struct topology *ret_topology);

/* Whether it is one of ours. */
bool topology_has(const struct topology *topology, long long cpu);

/* What "threads: 0" means: one for each core, or for each processor with `smt`, but no more than
 * the quota has time for, and one at least. */
int topology_threads(const struct topology *topology, bool smt);

/* Calls tell() with each number of a list like "0-3,8"; stops at what is no list. */
void topology_list(const char *text, void (*tell)(void *user, int number), void *user);
