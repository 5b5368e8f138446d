#include "engine/train/threads/processor_share.h"

#include "tests/test.h"

#include <sched.h>
#include <sys/wait.h>

/* Two nodes of three cores with two hardware threads each. */
static struct topology two_nodes(void)
{
    struct topology topology = {
        .cpu_count = 12, .core_count = 6, .package_count = 2, .node_count = 2};

    for (int i = 0; i < 12; i++)
        topology.cpus[i] = (struct processor){
            .cpu = i, .core = i % 6, .package = i % 6 / 3, .node = i % 6 / 3, .sibling = i / 6};
    return topology;
}

TEST(two_shares_are_the_two_nodes)
{
    const struct topology topology = two_nodes();
    int cpus[PROCESSORS_MAX];

    for (int share = 0; share < 2; share++) {
        EXPECT_INT(processor_share(&topology, share, 2, cpus), 6);
        for (int i = 0; i < 6; i++)
            EXPECT_INT(cpus[i], i % 3 + 3 * share + i / 3 * 6); /* siblings behind the first */
    }
}

TEST(shares_cover_all_processors_once)
{
    const struct topology topology = two_nodes();

    for (int of = 1; of <= 6; of++) {
        int seen[12] = {0}, cpus[PROCESSORS_MAX];

        for (int share = 0; share < of; share++) {
            int count = processor_share(&topology, share, of, cpus);

            EXPECT(count >= 12 / of / 2 * 2 && count > 0);
            for (int i = 0; i < count; i++)
                seen[cpus[i]]++;
        }
        for (int i = 0; i < 12; i++)
            EXPECT_INT(seen[i], 1);
    }
}

TEST(of_more_shares_than_cores_each_is_one_core)
{
    const struct topology topology = two_nodes();
    int cpus[PROCESSORS_MAX];

    for (int share = 0; share < 15; share++) {
        EXPECT_INT(processor_share(&topology, share, 15, cpus), 2);
        EXPECT_INT(cpus[0], share % 6);
        EXPECT_INT(cpus[1], share % 6 + 6);
    }
}

/* In a process of its own, which has fewer processors then. */
TEST(a_process_keeps_to_its_share)
{
    struct topology topology;
    int status = 0, cpus[PROCESSORS_MAX], count;
    pid_t child;

    topology_read("", &topology);
    if (topology.core_count < 2) {
        puts("       one core has no halves");
        return;
    }
    count = processor_share(&topology, 1, 2, cpus);
    child = fork();
    if (child == 0) {
        cpu_set_t set;
        bool ok;

        processor_share_keep(1, 2);
        ok = sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == count;
        for (int i = 0; i < count; i++)
            ok = ok && CPU_ISSET((size_t)cpus[i], &set);
        _exit(ok ? 0 : 1);
    }
    EXPECT_INT(waitpid(child, &status, 0), child);
    EXPECT_INT(status, 0);
}
