/* A workload on a graph: the graph, its usual batch and how it learns. Each is one file, which
 * defines the recipe of its name, and one row in recipes.c. */
#pragma once

#include "engine/train/networks/graph.h"
#include "engine/train/networks/optimizer.h"

struct recipe {
    const char *name; /* as in the spec */
    /* Fills the graph; `length` is a sample's, for workloads that have length_max. */
    void (*fill)(struct graph *graph, long length);
    long batch;
    long length, length_max; /* of a sample of tokens; length_max is 0 where length is fixed */
    struct optimizer optimizer;
};
