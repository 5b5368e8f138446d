/* What a run needs of memory, what there is, and what is said where the one exceeds the other. */
#include "engine/run/memory.h"

#include "tests/engine/tree.h"

#define MIB (1024LL * 1024)
#define GIB (1024 * MIB)

static struct run_spec spec_of(const char *precision, const char *plan, long long batch)
{
    struct run_spec spec = run_spec_default();

    snprintf(spec.workload, sizeof spec.workload, "resnet50");
    spec.precision = precision;
    spec.plan = plan;
    spec.batch_size = batch;
    return spec;
}

/* Peaks (VmHWM) of real runs. */
TEST(the_need_is_within_fifteen_percent_of_what_was_measured)
{
    static const struct {
        const char *precision, *plan;
        long long batch, threads, mib;
    } rows[] = {
        {"f32", "fixed", 2, 2, 500},    {"f32", "fixed", 16, 2, 1164},
        {"f32", "fixed", 40, 2, 2329},  {"bf16", "fixed", 2, 2, 389},
        {"bf16", "fixed", 16, 2, 771},  {"bf16", "fixed", 40, 2, 1433},
        {"f32", "plain", 2, 2, 1356},   {"f32", "plain", 16, 2, 4947},
        {"f32", "plain", 40, 2, 10493}, {"bf16", "plain", 2, 2, 935},
        {"bf16", "plain", 16, 2, 2879}, {"bf16", "plain", 40, 2, 5579},
        {"f32", "fixed", 16, 1, 1120},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct run_spec spec = spec_of(rows[i].precision, rows[i].plan, rows[i].batch);
        struct memory_limit held = {.bytes = rows[i].mib * MIB};
        double need = (double)memory_need(&spec, rows[i].threads);

        EXPECT_NEAR(need / (double)held.bytes, 1, 0.15);
        EXPECT(memory_can_hold(&spec, rows[i].threads, &held, NULL)); /* it did fit */
    }
}

TEST(more_images_need_more)
{
    static const char *const precisions[] = {"f32", "bf16"}, *const plans[] = {"auto", "plain"};

    for (size_t i = 0; i < COUNT(precisions); i++)
        for (size_t k = 0; k < COUNT(plans); k++)
            for (long long batch = 3; batch < 200; batch++) {
                struct run_spec less = spec_of(precisions[i], plans[k], batch - 1);
                struct run_spec more = spec_of(precisions[i], plans[k], batch);

                EXPECT(memory_need(&more, 2) > memory_need(&less, 2));
            }
}

TEST(a_batch_that_cannot_fit_is_refused_with_the_largest_that_does)
{
    const struct memory_limit group = {.bytes = GIB, .of_group = true}, machine = {.bytes = GIB};
    struct run_spec spec = spec_of("f32", "auto", 64);
    struct error err = {0}, other = {0};

    EXPECT(!memory_can_hold(&spec, 2, &group, &err));
    EXPECT_INT(err.kind, ERROR_UNABLE);
    EXPECT_STR(err.field, "batch_size");
    EXPECT_STR(err.message, "64 needs about 3.4 GiB of memory, and the control group's limit is "
                            "1.0 GiB; the largest batch that fits is 11");
    EXPECT(!memory_can_hold(&spec, 2, &machine, &other));
    EXPECT_PART(other.message, "and this machine has 1.0 GiB;");
    spec.batch_size = 2;
    EXPECT(memory_can_hold(&spec, 2, &group, NULL));
}

/* The batch that is recommended is accepted, and holds what it needs. */
TEST(the_largest_batch_fits)
{
    static const char *const plans[] = {"auto", "plain"};

    for (size_t i = 0; i < COUNT(plans); i++)
        for (long long limit = GIB; limit < 64 * GIB; limit += GIB / 2) {
            const struct memory_limit there = {.bytes = limit};
            struct run_spec spec = spec_of("bf16", plans[i], 65536);

            EXPECT(!memory_can_hold(&spec, 2, &there, NULL));
            spec.batch_size = memory_largest_batch(&spec, 2, limit);
            EXPECT(spec.batch_size >= 2);
            EXPECT(memory_need(&spec, 2) < limit);
            EXPECT(memory_can_hold(&spec, 2, &there, NULL));
            spec.batch_size = 2 * spec.batch_size + 100;
            EXPECT(memory_largest_batch(&spec, 2, limit) < spec.batch_size);
        }
}

TEST(where_nothing_fits_that_is_said)
{
    const struct memory_limit tiny = {.bytes = GIB / 4, .of_group = true};
    struct run_spec spec = spec_of("f32", "plain", 2);

    EXPECT_INT(memory_largest_batch(&spec, 2, tiny.bytes), 0);
    EXPECT_SAYS(memory_can_hold(&spec, 2, &tiny, &err), "0.2 GiB; no batch of this plan fits");
}

TEST(what_is_not_known_is_not_refused)
{
    const struct memory_limit unknown = {.bytes = 0}, tiny = {.bytes = 1};
    struct run_spec resnet = spec_of("f32", "auto", 65536), mlp = run_spec_default();

    snprintf(mlp.workload, sizeof mlp.workload, "mlp2017");
    EXPECT(memory_can_hold(&resnet, 2, &unknown, NULL));
    EXPECT(memory_can_hold(&mlp, 2, &tiny, NULL));
    EXPECT_INT(memory_need(&mlp, 2), 0);
    EXPECT_INT(memory_largest_batch(&mlp, 2, GIB), -1);
}

static struct memory_limit limit_in(const struct tree *tree)
{
    struct memory_limit limit;

    memory_limit_read(tree->root, &limit);
    return limit;
}

TEST_WITH_TREE(the_limit_is_the_least_of_group_and_machine)
{
    EXPECT_INT(limit_in(tree).bytes, 0);
    tree_put(tree, "/proc/self/cgroup", "0::/box\n");
    tree_put(tree, "/sys/fs/cgroup/box/memory.max", "%lld\n", 2 * GIB);
    EXPECT_INT(limit_in(tree).bytes, 2 * GIB);
    tree_put(tree, "/proc/meminfo", "MemTotal: %lld kB\n", 4 * GIB / 1024);
    EXPECT_INT(limit_in(tree).bytes, 2 * GIB);
    EXPECT(limit_in(tree).of_group);
    tree_put(tree, "/proc/meminfo", "MemTotal: %lld kB\n", GIB / 1024);
    EXPECT_INT(limit_in(tree).bytes, GIB);
    EXPECT(!limit_in(tree).of_group);
}

TEST(a_kill_is_explained)
{
    const struct memory_limit group = {.bytes = GIB, .of_group = true}, unknown = {.bytes = 0};
    struct error err = {0}, bare = {0};

    memory_explain_kill(&group, GIB - 20 * MIB, 2, &err);
    EXPECT_STR(err.message,
               "the kernel killed the worker for memory: the control group's limit is 1.0 GiB, "
               "the worker's peak was 0.98 GiB; the largest batch that fits is 2");
    memory_explain_kill(&unknown, GIB, -1, &bare);
    EXPECT_STR(bare.message,
               "the kernel killed the worker for memory, the worker's peak was 1.00 GiB");
}
