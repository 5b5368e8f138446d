/* The processors that this process may use, and their cores, nodes and packages. */
#pragma once

#include "common/limits.h"

#include <stdbool.h>
#include <stddef.h>

/* One that the operating system schedules: a hardware thread of a core. */
struct processor {
    int cpu; /* the system's number for it */
    int core, package, node;
    int sibling; /* 0: the first usable one of its core, 1: the second ... */
};

/* The processors in the order in which threads should use them: the first of each core, by node,
 * package and core; then their siblings. */
struct topology {
    int cpu_count, core_count, package_count, node_count;
    double quota; /* processor time limit of our control group, in processors; 0: none */
    struct processor cpus[PROCESSORS_MAX];
};

/* `root` as in proc.h; with "" only processors of our affinity, else all online in that tree.
 * Without topology files each processor counts as a core. */
void topology_read(const char *root, struct topology *ret_topology);

/* Whether it is one of ours. */
bool topology_has(const struct topology *topology, long long cpu);

/* The meaning of "threads: 0": one per core, or per processor with `smt`, but at most the quota,
 * and at least one. */
int topology_threads(const struct topology *topology, bool smt);

/* Calls tell() with each number of a list like "0-3,8"; stops at invalid text. */
void topology_list(const char *text, void (*tell)(void *user, int number), void *user);
