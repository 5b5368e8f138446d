/* Where the plan comes from: fixed, measured, or stored by an earlier measurement. */
#include "engine/train/depth_first/depth_first_choose.h"

#include "tests/engine/train/small_network.h"
#include "tests/engine/tree.h"

static struct tree cache; /* of stored plans */
static struct network network;
static struct parameters parameters;
static struct net_options options = {
    .batch = 4, .type = DNN_F32, .seed = 3, .sgd = {.learning_rate = 0.1f}, .threads = 2};

bool test_begin(void)
{
    struct error err = {0};

    cache = tree_make();
    setenv("XDG_CACHE_HOME", cache.root, 1);
    options.isa = cpu_probe();
    small_network(&network);
    return parameters_make(&parameters, &network, options.seed, &err);
}

/* The sum of all parameters: probes must not change it. */
static double weight(void)
{
    double sum = 0;

    for (int i = 0; i < parameters.count; i++)
        for (size_t k = 0; k < parameters.list[i].count; k++)
            sum += (double)parameters.list[i].value[k];
    return sum;
}

static struct plan choose(enum net_plan plan, long batch)
{
    struct net_options asked = options;
    struct plan chosen = {0};

    asked.plan = plan;
    asked.batch = batch;
    EXPECT_OK(depth_first_choose(&network, &asked, &parameters, &chosen, &err));
    return chosen;
}

TEST(the_fixed_plan_is_the_same_for_every_stage)
{
    const struct plan plan = choose(NET_FIXED, 4);

    EXPECT_STR(plan.origin, "fixed");
    EXPECT(plan.count > 1);
    for (int i = 1; i < plan.count; i++)
        EXPECT_INT(plan.stages[i].kilobytes, plan.stages[0].kilobytes);
}

TEST(a_fixed_plan_may_have_other_chunks)
{
    options.chunk_kilobytes = 300;
    EXPECT_INT(choose(NET_FIXED, 4).stages[1].kilobytes, 300);
    options.chunk_kilobytes = 0;
    EXPECT(choose(NET_FIXED, 4).stages[1].kilobytes > 300);
}

TEST(what_one_net_has_measured_the_next_finds)
{
    double before = weight();
    const struct plan first = choose(NET_AUTO, 4), second = choose(NET_AUTO, 4);

    EXPECT_STR(first.origin, "measured");
    EXPECT_STR(second.origin, "cached");
    EXPECT_INT(second.count, first.count);
    for (int i = 0; i < first.count; i++) {
        EXPECT_INT(second.stages[i].kilobytes, first.stages[i].kilobytes);
        EXPECT_INT(second.stages[i].by_hand, first.stages[i].by_hand);
    }
    EXPECT(weight() == before);                         /* a probe learns nothing */
    EXPECT_STR(choose(NET_AUTO, 5).origin, "measured"); /* another batch, another plan */
}

void test_end(void)
{
    parameters_free(&parameters);
    tree_remove(&cache);
}
