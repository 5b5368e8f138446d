/* Where threads and memory lie on a machine, by a spec's pinning, numa and threads. Pure; host.h
 * applies it. */
#pragma once

#include "common/error.h"
#include "engine/machine/topology.h"
#include "engine/spec/run_spec.h"

#define PLACEMENT_NODES_MAX 1024

enum placement_memory {
    PLACEMENT_FIRST_TOUCH, /* each page near the thread that writes it first */
    PLACEMENT_BOUND,       /* all on the nodes that are listed */
    PLACEMENT_INTERLEAVED, /* dealt out to them, page by page */
};

struct placement {
    int cpu_count;            /* that threads may run on */
    int cpus[PROCESSORS_MAX]; /* thread i has the i-th for its own ... */
    int bound;                /* ... if i is less than this; others run on any of them */
    int threads;              /* that "threads: 0" means */
    enum placement_memory memory;
    bool nodes[PLACEMENT_NODES_MAX]; /* of `memory`, by number */
    bool huge_pages;                 /* may be asked for */
};

/* ERROR_INVALID on "numa" where there is one node only: a run is to be named after what it did.
 */
MUST_USE bool placement_choose(const struct topology *topology, const struct run_spec *spec,
                               struct placement *ret_placement, struct error *err);
