#include "engine/machine/topology.h"

#include "common/cleanup.h"
#include "engine/machine/control_group.h"
#include "engine/machine/proc.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define LIST_SIZE 4096

void topology_list(const char *text, void (*tell)(void *user, int number), void *user)
{
    while (*text >= '0' && *text <= '9') {
        char *end;
        long first = strtol(text, &end, 10), last = first;

        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        for (long number = first; number <= last && number < PROCESSORS_MAX; number++)
            tell(user, (int)number);
        text = *end == ',' ? end + 1 : end;
    }
}

static void add_processor(void *user, int cpu)
{
    struct topology *topology = user;

    if (topology->cpu_count < PROCESSORS_MAX)
        topology->cpus[topology->cpu_count++] = (struct processor){.cpu = cpu};
}

static void list_processors(const char *root, struct topology *topology)
{
    char list[LIST_SIZE];
    cpu_set_t allowed;

    if (*root) {
        if (proc_text(root, "/sys/devices/system/cpu/online", list, sizeof list))
            topology_list(list, add_processor, topology);
    } else if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET((size_t)cpu, &allowed))
                add_processor(topology, cpu);
    }
    if (topology->cpu_count == 0)
        add_processor(topology, 0);
}

static void read_place(const char *root, struct processor *processor)
{
    static const char path[] = "/sys/devices/system/cpu/cpu%d/topology/%s";
    int cpu = processor->cpu;

    processor->core = (int)proc_number_in(proc_open(root, path, cpu, "core_id"), NULL, cpu);
    processor->package =
        (int)proc_number_in(proc_open(root, path, cpu, "physical_package_id"), NULL, 0);
}

struct node_reader {
    const char *root;
    struct topology *topology;
    int node;
};

static void join_node(void *user, int cpu)
{
    struct node_reader *reader = user;

    for (int i = 0; i < reader->topology->cpu_count; i++)
        if (reader->topology->cpus[i].cpu == cpu)
            reader->topology->cpus[i].node = reader->node;
}

static void read_node(void *user, int node)
{
    struct node_reader *reader = user;
    char path[64], list[LIST_SIZE];

    reader->node = node;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
    if (proc_text(reader->root, path, list, sizeof list))
        topology_list(list, join_node, reader);
}

static void read_nodes(const char *root, struct topology *topology)
{
    struct node_reader reader = {.root = root, .topology = topology};
    char list[LIST_SIZE];

    if (proc_text(root, "/sys/devices/system/node/online", list, sizeof list))
        topology_list(list, read_node, &reader);
}

static int topology_compare(int left, int right)
{
    return (left > right) - (left < right);
}

static int by_place(const void *left, const void *right)
{
    const struct processor *a = left, *b = right;
    const int orders[] = {topology_compare(a->sibling, b->sibling),
                          topology_compare(a->node, b->node),
                          topology_compare(a->package, b->package),
                          topology_compare(a->core, b->core), topology_compare(a->cpu, b->cpu)};

    for (size_t i = 0; i < COUNT(orders); i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}

static bool share_a_core(const struct processor *a, const struct processor *b)
{
    return a->package == b->package && a->node == b->node && a->core == b->core;
}

/* Counts cores and nodes, and numbers the threads of each core. The list must be sorted by
 * core. */
static void count_parts(struct topology *topology)
{
    for (int i = 0; i < topology->cpu_count; i++) {
        struct processor *here = &topology->cpus[i], *before = i > 0 ? here - 1 : NULL;
        bool new_node = !before || before->node != here->node;

        here->sibling = before && share_a_core(before, here) ? before->sibling + 1 : 0;
        topology->core_count += here->sibling == 0;
        topology->node_count += new_node;
    }
}

/* Apart from the others: a package may span nodes, or a node packages. */
static void count_packages(struct topology *topology)
{
    bool seen[PROCESSORS_MAX] = {false};

    topology->package_count = 0;
    for (int i = 0; i < topology->cpu_count; i++) {
        int package = topology->cpus[i].package;

        if (package < 0 || package >= PROCESSORS_MAX || seen[package])
            continue;
        seen[package] = true;
        topology->package_count++;
    }
    if (topology->package_count == 0)
        topology->package_count = 1;
}

void topology_read(const char *root, struct topology *ret_topology)
{
    struct topology *topology = ret_topology;

    *topology = (struct topology){0};
    list_processors(root, topology);
    for (int i = 0; i < topology->cpu_count; i++)
        read_place(root, &topology->cpus[i]);
    read_nodes(root, topology);
    qsort(topology->cpus, (size_t)topology->cpu_count, sizeof topology->cpus[0], by_place);
    count_parts(topology);
    count_packages(topology);
    qsort(topology->cpus, (size_t)topology->cpu_count, sizeof topology->cpus[0], by_place);
    topology->quota = control_group_quota(root);
}

bool topology_has(const struct topology *topology, long long cpu)
{
    for (int i = 0; i < topology->cpu_count; i++)
        if (topology->cpus[i].cpu == cpu)
            return true;
    return false;
}

int topology_threads(const struct topology *topology, bool smt)
{
    int threads = smt ? topology->cpu_count : topology->core_count;

    if (topology->quota > 0 && topology->quota < threads)
        threads = (int)topology->quota;
    return threads > 0 ? threads : 1;
}
