#include "engine/train/threads/placement.h"

#include "tests/test.h"

/* Two nodes of four cores with two hardware threads each: 0 to 7 are the first of each core, 8 to
 * 15 their siblings. */
static struct topology two_nodes(void)
{
    struct topology topology = {
        .cpu_count = 16, .core_count = 8, .package_count = 2, .node_count = 2};

    for (int i = 0; i < 16; i++)
        topology.cpus[i] = (struct processor){
            .cpu = i, .core = i % 8, .package = i % 8 / 4, .node = i % 8 / 4, .sibling = i / 8};
    return topology;
}

static struct placement choose(const char *pinning, const char *numa)
{
    const struct topology topology = two_nodes();
    struct run_spec spec = run_spec_default();
    struct placement placement = {.threads = -1};

    spec.pinning = pinning;
    spec.numa = numa;
    EXPECT_OK(placement_choose(&topology, &spec, &placement, &err));
    return placement;
}

TEST(cores_have_one_thread_each)
{
    const struct placement placement = choose("cores", "auto");

    EXPECT_INT(placement.threads, 8);
    EXPECT_INT(placement.bound, 8);
    EXPECT_INT(placement.cpu_count, 16); /* more threads than cores may run on any */
    for (int i = 0; i < 16; i++)
        EXPECT_INT(placement.cpus[i], i);
    EXPECT_INT(placement.memory, PLACEMENT_FIRST_TOUCH);
    EXPECT(placement.huge_pages);
}

TEST(smt_goes_to_their_siblings_too)
{
    const struct placement placement = choose("smt", "auto");

    EXPECT_INT(placement.threads, 16);
    EXPECT_INT(placement.bound, 16);
    EXPECT_INT(placement.cpus[8], 8); /* when all cores have a thread, and no earlier */
}

TEST(none_binds_no_thread)
{
    const struct placement placement = choose("none", "auto");

    EXPECT_INT(placement.threads, 8);
    EXPECT_INT(placement.bound, 0);
    EXPECT_INT(placement.cpu_count, 16);
}

TEST(local_stays_on_the_node_of_the_first_processor)
{
    struct placement placement = choose("cores", "local");

    EXPECT_INT(placement.memory, PLACEMENT_BOUND);
    EXPECT(placement.nodes[0] && !placement.nodes[1]);
    EXPECT_INT(placement.threads, 4);
    EXPECT_INT(placement.bound, 4);
    EXPECT_INT(placement.cpu_count, 8);
    for (int i = 0; i < 8; i++) /* 0 to 3, then their siblings */
        EXPECT_INT(placement.cpus[i], i < 4 ? i : i + 4);
    placement = choose("smt", "local");
    EXPECT_INT(placement.threads, 8);
    EXPECT_INT(placement.bound, 8);
    placement = choose("none", "local");
    EXPECT_INT(placement.bound, 0);
    EXPECT_INT(placement.cpu_count, 8);
}

TEST(interleave_deals_out_to_all_nodes)
{
    const struct placement placement = choose("cores", "interleave");

    EXPECT_INT(placement.memory, PLACEMENT_INTERLEAVED);
    EXPECT(placement.nodes[0] && placement.nodes[1] && !placement.nodes[2]);
    EXPECT_INT(placement.threads, 8);
    EXPECT_INT(placement.cpu_count, 16);
}

TEST(a_quota_leaves_fewer_threads)
{
    struct topology topology = two_nodes();
    struct run_spec spec = run_spec_default();
    struct placement placement;

    topology.quota = 3.5;
    spec.numa = "local";
    spec.huge_pages = "off";
    EXPECT(placement_choose(&topology, &spec, &placement, NULL));
    EXPECT_INT(placement.threads, 3);
    EXPECT_INT(placement.bound, 4);
    EXPECT(!placement.huge_pages);
}

TEST(on_one_node_there_is_nothing_to_choose)
{
    static const char *const numas[] = {"local", "interleave"};
    const struct topology topology = {.cpu_count = 1, .core_count = 1, .node_count = 1};

    for (size_t i = 0; i < COUNT(numas); i++) {
        struct run_spec spec = run_spec_default();
        struct placement placement = {.threads = -1};
        struct error err = {0};

        spec.numa = numas[i];
        EXPECT(!placement_choose(&topology, &spec, &placement, &err));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT_STR(err.field, "numa");
        EXPECT(strstr(err.message, "one node") && strstr(err.message, numas[i]));
        EXPECT_INT(placement.threads, -1);
    }
}
