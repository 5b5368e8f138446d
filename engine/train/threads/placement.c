#include "engine/train/threads/placement.h"

#include "common/cleanup.h"

/* What is left of a machine when only one of its nodes is used. */
static void keep_node(struct topology *topology, int node)
{
    int kept = 0;

    topology->core_count = 0;
    for (int i = 0; i < topology->cpu_count; i++)
        if (topology->cpus[i].node == node) {
            topology->cpus[kept++] = topology->cpus[i];
            topology->core_count += topology->cpus[i].sibling == 0;
        }
    topology->cpu_count = kept;
    topology->node_count = 1;
}

static bool choose_memory(struct topology *topology, const char *numa,
                          struct placement *placement, struct error *err)
{
    if (strcmp(numa, "auto") == 0)
        return true;
    if (topology->node_count < 2)
        return error_set(err, ERROR_INVALID, "numa",
                         "must be auto where processors and memory are one node, got %s", numa);
    placement->memory = PLACEMENT_INTERLEAVED;
    if (strcmp(numa, "local") == 0) {
        placement->memory = PLACEMENT_BOUND;
        keep_node(topology, topology->cpus[0].node);
    }
    for (int i = 0; i < topology->cpu_count; i++)
        if (topology->cpus[i].node >= 0 && topology->cpus[i].node < PLACEMENT_NODES_MAX)
            placement->nodes[topology->cpus[i].node] = true;
    return true;
}

bool placement_choose(const struct topology *topology, const struct run_spec *spec,
                      struct placement *ret_placement, struct error *err)
{
    struct placement placement = {.huge_pages = strcmp(spec->huge_pages, "off") != 0};
    bool smt = strcmp(spec->pinning, "smt") == 0;
    struct topology used = *topology;

    if (!choose_memory(&used, spec->numa, &placement, err))
        return false;
    placement.cpu_count = used.cpu_count;
    for (int i = 0; i < used.cpu_count; i++)
        placement.cpus[i] = used.cpus[i].cpu;
    if (strcmp(spec->pinning, "none") != 0)
        placement.bound = smt ? used.cpu_count : used.core_count;
    placement.threads = topology_threads(&used, smt);
    *ret_placement = placement;
    return true;
}
