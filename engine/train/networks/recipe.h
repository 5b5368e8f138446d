/* A workload on a graph: the graph, its usual batch and how it learns. Each is one file, which
 * defines the recipe of its name, and one row in recipes.c. */
#pragma once

#include "engine/train/networks/graph.h"
#include "engine/train/networks/optimizer.h"

struct recipe {
    const char *name; /* as in the spec */
    /* Fills the graph; `length` is that of a sample, of workloads that have length_max. */
    void (*fill)(struct graph *graph, long length);
    long batch;
    long length, length_max; /* of a sample of tokens; length_max is 0 where length is fixed */
    struct optimizer optimizer;
};

/* NULL when there is none of that name. */
const struct recipe *recipe_find(const char *name);

/* Every recipe; NULL behind the last. */
const struct recipe *recipe_at(int index);

/* The graph of the recipe's own length, or of `length` if that is not 0. */
void recipe_fill(const struct recipe *recipe, long length, struct graph *graph);
