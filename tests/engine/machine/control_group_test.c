/* Limits of control groups, as hosts and containers of versions 1 and 2 show them. */
#include "engine/machine/control_group.h"

#include "tests/engine/tree.h"

#define GIB (1024LL * 1024 * 1024)
#define NO_LIMIT_OF_1 "9223372036854771712\n"

static struct group_memory memory_in(const struct tree *tree)
{
    struct group_memory memory;

    control_group_memory(tree->root, &memory);
    return memory;
}

TEST_WITH_TREE(without_groups_there_is_no_limit)
{
    struct group_memory memory = memory_in(tree);

    EXPECT_NEAR(control_group_quota(tree->root), 0, 0);
    EXPECT_INT(memory.limit, 0);
    EXPECT_INT(memory.room, -1);
    EXPECT_INT(memory.kills, -1);
}

TEST(garbage_is_no_limit)
{
    static const char *const garbage[] = {"", "\n", "max\n", "lots of it", "-5\n", "\xff\xfe"};
    static const char *const mounts[] = {"", "no dash here\n", "1 2 3 - cgroup2\n", " - \n",
                                         "1 2 0:1 / /sys/fs/cgroup rw - cgroup2 x"};

    for (size_t i = 0; i < COUNT(garbage); i++)
        for (size_t k = 0; k < COUNT(mounts); k++) {
            AUTO(tree_remove) struct tree tree = tree_make();

            tree_put(&tree, "/proc/self/cgroup", "%s", "4:memory:/a\n0::/a\n::::\n");
            tree_put(&tree, "/proc/self/mountinfo", "%s", mounts[k]);
            tree_put(&tree, "/sys/fs/cgroup/a/memory.max", "%s", garbage[i]);
            tree_put(&tree, "/sys/fs/cgroup/a/cpu.max", "%s", garbage[i]);
            tree_put(&tree, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "%s", garbage[i]);
            EXPECT_INT(memory_in(&tree).limit, 0);
            EXPECT_NEAR(control_group_quota(tree.root), 0, 0);
        }
}

TEST_WITH_TREE(the_least_limit_on_the_way_up_counts)
{
    tree_put(tree, "/proc/self/cgroup", "0::/pod/box\n");
    tree_put(tree, "/sys/fs/cgroup/pod/box/memory.max", "max\n");
    EXPECT_INT(memory_in(tree).limit, 0);
    tree_put(tree, "/sys/fs/cgroup/pod/memory.max", "%lld\n", 2 * GIB);
    EXPECT_INT(memory_in(tree).limit, 2 * GIB);
    tree_put(tree, "/sys/fs/cgroup/pod/box/memory.max", "%lld\n", 3 * GIB);
    EXPECT_INT(memory_in(tree).limit, 2 * GIB);
    tree_put(tree, "/sys/fs/cgroup/pod/box/memory.max", "%lld\n", GIB);
    EXPECT_INT(memory_in(tree).limit, GIB);
}

/* What a neighbour in the group above takes is missing for us. */
TEST_WITH_TREE(room_is_what_is_left_after_caches_are_given_up)
{
    tree_put(tree, "/proc/self/cgroup", "0::/pod/box\n");
    tree_put(tree, "/sys/fs/cgroup/pod/box/memory.max", "%lld\n", 3 * GIB);
    tree_put(tree, "/sys/fs/cgroup/pod/box/memory.current", "%lld\n", 2 * GIB);
    EXPECT_INT(memory_in(tree).room, GIB);
    tree_put(tree, "/sys/fs/cgroup/pod/box/memory.stat", "anon 1\ninactive_file %lld\n", GIB);
    EXPECT_INT(memory_in(tree).room, 2 * GIB);
    tree_put(tree, "/sys/fs/cgroup/pod/memory.max", "%lld\n", 4 * GIB);
    tree_put(tree, "/sys/fs/cgroup/pod/memory.current", "%lld\n", 4 * GIB + 1);
    EXPECT_INT(memory_in(tree).room, 0);
}

TEST_WITH_TREE(version_1_is_read)
{
    tree_put(tree, "/proc/self/cgroup", "%s", "8:memory:/a/b\n5:cpu,cpuacct:/a/b\n0::/\n");
    tree_put(tree, "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", NO_LIMIT_OF_1);
    tree_put(tree, "/sys/fs/cgroup/memory/memory.limit_in_bytes", NO_LIMIT_OF_1);
    EXPECT_INT(memory_in(tree).limit, 0);
    tree_put(tree, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "%lld\n", GIB);
    tree_put(tree, "/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "%lld\n", GIB / 2);
    tree_put(tree, "/sys/fs/cgroup/memory/a/memory.stat", "cache 5\ntotal_inactive_file %lld\n",
             GIB / 4);
    EXPECT_INT(memory_in(tree).limit, GIB);
    EXPECT_INT(memory_in(tree).room, GIB * 3 / 4);
    tree_put(tree, "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "150000\n");
    tree_put(tree, "/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    EXPECT_NEAR(control_group_quota(tree->root), 1.5, 1e-12);
    tree_put(tree, "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
    EXPECT_NEAR(control_group_quota(tree->root), 0, 0);
}

/* A container does not see the groups above its own; the kernel adds their limit up for it. */
TEST_WITH_TREE(the_hierarchical_limit_counts)
{
    tree_put(tree, "/proc/self/cgroup", "8:memory:/\n");
    tree_put(tree, "/sys/fs/cgroup/memory/memory.limit_in_bytes", NO_LIMIT_OF_1);
    tree_put(tree, "/sys/fs/cgroup/memory/memory.stat",
             "cache 5\nhierarchical_memory_limit %lld\n", GIB);
    EXPECT_INT(memory_in(tree).limit, GIB);
    tree_put(tree, "/sys/fs/cgroup/memory/memory.stat",
             "hierarchical_memory_limit " NO_LIMIT_OF_1);
    EXPECT_INT(memory_in(tree).limit, 0);
}

#define MOUNT_OF_1(shown, controller)                                                            \
    "40 32 0:37 " shown " /sys/fs/cgroup/" controller                                            \
    " ro,nosuid master:5 - cgroup cgroup rw," controller "\n"

/* docker, version 1, without a name space of its own: the path is the host's, the mount shows the
 * container's group as its root. */
TEST_WITH_TREE(a_container_whose_mount_shows_its_own_group)
{
    tree_put(tree, "/proc/self/cgroup", "%s", "8:memory:/docker/f00\n5:cpu:/docker/f00\n");
    tree_put(tree, "/proc/self/mountinfo", "%s",
             "30 20 0:5 / / rw - overlay overlay rw,lowerdir=/x - y\n" MOUNT_OF_1(
                 "/docker/f00", "memory") MOUNT_OF_1("/docker/f00", "cpu"));
    tree_put(tree, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "%lld\n", GIB);
    tree_put(tree, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
    tree_put(tree, "/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_INT(memory_in(tree).limit, GIB);
    EXPECT_NEAR(control_group_quota(tree->root), 2, 1e-12);
}

/* The same with a group of its own below: it lies at the part of the path that the mount does not
 * show. */
TEST_WITH_TREE(a_group_nested_in_such_a_container)
{
    tree_put(tree, "/proc/self/cgroup", "%s", "8:memory:/docker/f00/inner\n");
    tree_put(tree, "/proc/self/mountinfo", "%s", MOUNT_OF_1("/docker/f00", "memory"));
    tree_put(tree, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "%lld\n", 2 * GIB);
    tree_put(tree, "/sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "%lld\n", GIB);
    tree_put(tree, "/sys/fs/cgroup/memory/inner/memory.oom_control",
             "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
    tree_put(tree, "/sys/fs/cgroup/memory/memory.oom_control", "oom_kill 9\n");
    EXPECT_INT(memory_in(tree).limit, GIB);
    EXPECT_INT(memory_in(tree).kills, 3);
}

/* A name that only begins like the one the mount shows is another group. */
TEST_WITH_TREE(another_group_of_a_similar_name)
{
    tree_put(tree, "/proc/self/cgroup", "%s", "8:memory:/docker/f00d\n");
    tree_put(tree, "/proc/self/mountinfo", "%s",
             MOUNT_OF_1("/docker/f00",
                        "memory") "41 32 0:37 / /host/memory ro - cgroup cgroup rw,memory\n");
    tree_put(tree, "/sys/fs/cgroup/memory/d/memory.limit_in_bytes", "%lld\n", GIB);
    tree_put(tree, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "%lld\n", GIB);
    tree_put(tree, "/host/memory/docker/f00d/memory.limit_in_bytes", "%lld\n", 2 * GIB);
    EXPECT_INT(memory_in(tree).limit, 2 * GIB);
}

/* With name spaces the path is "/", whatever the host calls it; "/.." lies outside of them. */
TEST(a_container_with_a_name_space_of_its_own)
{
    static const char *const groups[] = {"0::/\n", "0::/../other\n"};

    for (size_t i = 0; i < COUNT(groups); i++) {
        AUTO(tree_remove) struct tree tree = tree_make();

        tree_put(&tree, "/proc/self/cgroup", "%s", groups[i]);
        tree_put(&tree, "/proc/self/mountinfo",
                 "40 32 0:37 / /sys/fs/cgroup ro - cgroup2 cgroup rw,nsdelegate\n");
        tree_put(&tree, "/sys/fs/cgroup/memory.max", "%lld\n", GIB);
        tree_put(&tree, "/sys/fs/other/memory.max", "1\n"); /* no group at all */
        tree_put(&tree, "/sys/fs/cgroup/memory.events", "low 0\noom 2\noom_kill 1\n");
        tree_put(&tree, "/sys/fs/cgroup/cpu.max", "50000 100000\n");
        EXPECT_INT(memory_in(&tree).limit, GIB);
        EXPECT_INT(memory_in(&tree).kills, 1);
        EXPECT_NEAR(control_group_quota(tree.root), 0.5, 1e-12);
    }
}

/* systemd's hybrid: version 2 is there without controllers, version 1 has them, and some of its
 * controllers share a folder. */
TEST_WITH_TREE(both_versions_at_once)
{
    tree_put(tree, "/proc/self/cgroup", "%s",
             "9:cpu,cpuacct:/s\n8:memory:/s\n1:name=systemd:/s\n0::/s\n");
    tree_put(tree, "/proc/self/mountinfo", "%s",
             "39 32 0:36 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" MOUNT_OF_1(
                 "/", "memory") "42 32 0:38 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup "
                                "rw,cpu,cpuacct\n");
    tree_put(tree, "/sys/fs/cgroup/unified/s/cgroup.procs", "1\n");
    tree_put(tree, "/sys/fs/cgroup/memory/s/memory.limit_in_bytes", "%lld\n", GIB);
    tree_put(tree, "/sys/fs/cgroup/cpu,cpuacct/s/cpu.cfs_quota_us", "100000\n");
    tree_put(tree, "/sys/fs/cgroup/cpu,cpuacct/s/cpu.cfs_period_us", "100000\n");
    EXPECT_INT(memory_in(tree).limit, GIB);
    EXPECT_NEAR(control_group_quota(tree->root), 1, 1e-12);
}
