#include "engine/machine/topology.h"

#include "tests/engine/tree.h"

/* A machine of `packages` x `cores` x `threads`, numbered as Linux numbers them: first one thread
 * of each core of all packages, then the others. Each package is a node. */
static void put_machine(const struct tree *tree, int packages, int cores, int threads)
{
    int all = packages * cores * threads, half = packages * cores;

    tree_put(tree, "/sys/devices/system/cpu/online", "0-%d\n", all - 1);
    tree_put(tree, "/sys/devices/system/node/online", packages > 1 ? "0-%d\n" : "%d\n",
             packages - 1);
    for (int cpu = 0; cpu < all; cpu++) {
        char path[128];

        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/core_id", cpu);
        tree_put(tree, path, "%d\n", cpu % half % cores);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
                 cpu);
        tree_put(tree, path, "%d\n", cpu % half / cores);
    }
    for (int node = 0; node < packages; node++) {
        char path[128];
        int first = node * cores, last = first + cores - 1;

        snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
        if (threads > 1)
            tree_put(tree, path, "%d-%d,%d-%d\n", first, last, first + half, last + half);
        else
            tree_put(tree, path, "%d-%d\n", first, last);
    }
}

static const struct {
    int packages, cores, threads; /* of a package, of a core */
} machines[] = {{1, 4, 2} /* c7i.2xlarge */,
                {2, 32, 2} /* c6i.32xlarge */,
                {2, 48, 2} /* c7i.48xlarge */,
                {1, 2, 1},
                {1, 1, 1}};

TEST(known_machines_are_counted_right)
{
    for (size_t i = 0; i < COUNT(machines); i++) {
        AUTO(tree_remove) struct tree tree = tree_make();
        static struct topology topology;
        int cores = machines[i].packages * machines[i].cores;

        put_machine(&tree, machines[i].packages, machines[i].cores, machines[i].threads);
        topology_read(tree.root, &topology);
        EXPECT_INT(topology.cpu_count, cores * machines[i].threads);
        EXPECT_INT(topology.core_count, cores);
        EXPECT_INT(topology.package_count, machines[i].packages);
        EXPECT_INT(topology.node_count, machines[i].packages);
        EXPECT_NEAR(topology.quota, 0, 0);
        EXPECT_INT(topology_threads(&topology, false), cores);
        EXPECT_INT(topology_threads(&topology, true), cores * machines[i].threads);
    }
}

/* Threads take a core each before any two share one, and a node's cores before the next's. */
TEST_WITH_TREE(places_come_core_by_core_then_sibling_by_sibling)
{
    static struct topology topology;

    put_machine(tree, 2, 2, 2);
    topology_read(tree->root, &topology);
    for (int i = 0; i < 8; i++) {
        EXPECT_INT(topology.cpus[i].cpu, i);
        EXPECT_INT(topology.cpus[i].sibling, i / 4);
        EXPECT_INT(topology.cpus[i].node, i % 4 / 2);
    }
}

TEST_WITH_TREE(a_quota_limits_the_threads)
{
    static struct topology topology;

    put_machine(tree, 1, 4, 2);
    tree_put(tree, "/proc/self/cgroup", "0::/pod/box\n");
    tree_put(tree, "/sys/fs/cgroup/pod/box/cpu.max", "350000 100000\n");
    topology_read(tree->root, &topology);
    EXPECT_NEAR(topology.quota, 3.5, 1e-12);
    EXPECT_INT(topology_threads(&topology, false), 3);
    tree_put(tree, "/sys/fs/cgroup/pod/cpu.max", "150000 100000\n"); /* the parent is stricter */
    topology_read(tree->root, &topology);
    EXPECT_NEAR(topology.quota, 1.5, 1e-12);
    EXPECT_INT(topology_threads(&topology, true), 1);
    tree_put(tree, "/sys/fs/cgroup/pod/cpu.max", "max 100000\n");
    tree_put(tree, "/sys/fs/cgroup/pod/box/cpu.max", "50000 100000\n");
    topology_read(tree->root, &topology);
    EXPECT_INT(topology_threads(&topology, false), 1); /* less than one is still one */
}

TEST(where_nothing_is_visible_each_processor_is_a_core)
{
    AUTO(tree_remove) struct tree empty = tree_make(), list = tree_make(), garbage = tree_make();
    static struct topology topology;

    topology_read(empty.root, &topology);
    EXPECT_INT(topology.cpu_count, 1);
    EXPECT_INT(topology_threads(&topology, false), 1);
    tree_put(&list, "/sys/devices/system/cpu/online", "0,2-3\n");
    topology_read(list.root, &topology);
    EXPECT_INT(topology.cpu_count, 3);
    EXPECT_INT(topology.core_count, 3);
    EXPECT_INT(topology.node_count, 1);
    tree_put(&garbage, "/sys/devices/system/cpu/online", "x-9,-,,\xff");
    topology_read(garbage.root, &topology);
    EXPECT_INT(topology.cpu_count, 1);
}

static void count_number(void *user, int number)
{
    int *sum = user;

    *sum = *sum * 10 + number;
}

TEST(a_list_is_read_to_its_end_and_no_further)
{
    static const struct {
        const char *text;
        int seen;
    } lists[] = {{"0-3,8", 1238}, {"5", 5},   {"", 0},       {"3-1,7", 7},
                 {"1,2,", 12},    {"1x2", 1}, {"1-2 4", 12}, {"-4", 0}};

    for (size_t i = 0; i < COUNT(lists); i++) {
        int seen = 0;

        topology_list(lists[i].text, count_number, &seen);
        EXPECT_INT(seen, lists[i].seen);
    }
}

TEST(this_very_machine_has_a_place_for_us)
{
    static struct topology topology;

    topology_read("", &topology);
    EXPECT(topology.cpu_count >= 1 && topology.core_count >= 1);
    EXPECT(topology.core_count <= topology.cpu_count);
    EXPECT(topology.node_count >= 1 && topology.package_count >= 1);
    EXPECT_INT(topology.cpus[0].sibling, 0);
}
