#include "engine/machine/process_sampler.h"

#include "tests/engine/tree.h"

#include <pthread.h>
#include <time.h>

#define STAT_LINE "7 (a ) name) S 1 7 7 0 -1 4194560 100 0 %d 0 5 6 0 0 20 0 1 0 1 1 1\n"

/* A process 7 with two threads, in a group of a group. */
static void put_process(const struct tree *tree)
{
    tree_put(tree, "/proc/stat", "cpu  100 0 50 800 20 0 5 25 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n");
    tree_put(tree, "/proc/vmstat", "nr_free_pages 5\npswpin 12\npswpout 3\n");
    tree_put(tree, "/proc/7/cgroup", "0::/pod/box\n");
    tree_put(tree, "/proc/7/stat", STAT_LINE, 4);
    tree_put(tree, "/proc/7/task/7/schedstat", "1000 200 3\n");
    tree_put(tree, "/proc/7/task/8/schedstat", "500 30 3\n");
    tree_put(tree, "/proc/7/task/7/status", "Name:\tx\nnonvoluntary_ctxt_switches:\t5\n");
    tree_put(tree, "/proc/7/task/8/status", "Name:\tx\nnonvoluntary_ctxt_switches:\t6\n");
    tree_put(tree, "/sys/fs/cgroup/pod/box/cpu.stat",
             "nr_periods 9\nnr_throttled 2\n"
             "throttled_usec 300\n");
    tree_put(tree, "/sys/fs/cgroup/pod/cpu.stat", "nr_throttled 1\nthrottled_usec 50\n");
}

TEST_WITH_TREE(counters_of_all_threads_and_of_all_groups_above_add_up)
{
    struct observation seen;

    put_process(tree);
    process_sampler_read(tree->root, 7, &seen);
    EXPECT_INT(seen.cpu_ticks, 1000);
    EXPECT_INT(seen.steal_ticks, 25);
    EXPECT_INT(seen.own_cpu_ns, 1500);
    EXPECT_INT(seen.waited_ns, 230);
    EXPECT_INT(seen.involuntary_switches, 11);
    EXPECT_INT(seen.major_faults, 4);
    EXPECT_INT(seen.swap_ins, 12);
    EXPECT_INT(seen.throttled_periods, 3);
    EXPECT_INT(seen.throttled_us, 350);
}

TEST_WITH_TREE(the_older_control_groups_count_nanoseconds)
{
    struct observation seen;

    tree_put(tree, "/proc/7/cgroup", "4:cpuacct,cpu:/box\n");
    tree_put(tree, "/sys/fs/cgroup/cpu/box/cpu.stat", "nr_throttled 8\nthrottled_time 9000\n");
    process_sampler_read(tree->root, 7, &seen);
    EXPECT_INT(seen.throttled_periods, 8);
    EXPECT_INT(seen.throttled_us, 9);
}

TEST(an_unreadable_counter_is_minus_one)
{
    AUTO(tree_remove) struct tree empty = tree_make(), garbage = tree_make();
    struct observation seen;

    process_sampler_read(empty.root, 7, &seen);
    EXPECT_INT(seen.cpu_ticks, -1);
    EXPECT_INT(seen.steal_ticks, -1);
    EXPECT_INT(seen.throttled_periods, -1);
    EXPECT_INT(seen.throttled_us, -1);
    EXPECT_INT(seen.involuntary_switches, -1);
    EXPECT_INT(seen.waited_ns, -1);
    EXPECT_INT(seen.own_cpu_ns, -1);
    EXPECT_INT(seen.major_faults, -1);
    EXPECT_INT(seen.swap_ins, -1);
    tree_put(&garbage, "/proc/stat", "cpu  lots\n");
    tree_put(&garbage, "/proc/7/stat", "7 no bracket");
    tree_put(&garbage, "/proc/7/task/7/schedstat", "?");
    tree_put(&garbage, "/proc/7/task/7/status", "nonvoluntary_ctxt_switches:\tmany\n");
    process_sampler_read(garbage.root, 7, &seen);
    EXPECT_INT(seen.cpu_ticks, -1);
    EXPECT_INT(seen.major_faults, -1);
    EXPECT_INT(seen.waited_ns, -1);
    EXPECT_INT(seen.involuntary_switches, -1);
}

static void *work(void *user)
{
    volatile unsigned long *sum = user;
    struct timespec start, now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start); /* of a thread that did other things before */
    do {
        for (int i = 0; i < 100000; i++)
            *sum += (unsigned long)i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < 30000000);
    return NULL;
}

/* The real files: a thread that works shows, while it is there. */
TEST(we_are_seen_working)
{
    struct observation before, after;
    unsigned long sum = 0;

    process_sampler_read("", getpid(), &before);
    work(&sum);
    process_sampler_read("", getpid(), &after);
    EXPECT(before.cpu_ticks > 0 && after.cpu_ticks >= before.cpu_ticks);
    EXPECT(after.own_cpu_ns - before.own_cpu_ns >= 20000000);
    EXPECT(after.waited_ns >= before.waited_ns);
    EXPECT(after.involuntary_switches >= 0 && after.major_faults >= 0);
}
