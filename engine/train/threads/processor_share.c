#include "engine/train/threads/processor_share.h"

#include "common/memory.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>

static bool same_core(const struct processor *a, const struct processor *b)
{
    return a->core == b->core && a->package == b->package && a->node == b->node;
}

int processor_share(const struct topology *topology, int index, int of,
                    int ret_cpus[PROCESSORS_MAX])
{
    int cores = topology->core_count, count = 0;

    assert(of > 0 && index >= 0 && index < of);
    if (cores == 0)
        return 0;
    if (cores < of) {
        index %= cores;
        of = cores;
    }
    for (int i = 0; i < topology->cpu_count; i++)
        for (int core = cores * index / of; core < cores * (index + 1) / of; core++)
            if (same_core(&topology->cpus[i], &topology->cpus[core]))
                ret_cpus[count++] = topology->cpus[i].cpu;
    return count;
}

void processor_share_keep(int index, int of)
{
    struct topology *topology = of > 1 ? xcalloc(1, sizeof *topology) : NULL;
    int cpus[PROCESSORS_MAX], count;
    cpu_set_t set;

    if (!topology)
        return;
    topology_read("", topology);
    count = processor_share(topology, index, of, cpus);
    CPU_ZERO(&set);
    for (int i = 0; i < count; i++)
        CPU_SET((size_t)cpus[i], &set);
    if (count > 0)
        (void)!sched_setaffinity(0, sizeof set, &set);
    free(topology);
}
