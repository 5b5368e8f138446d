/* Where the plan comes from: fixed, measured, or stored by an earlier measurement. */
#include "engine/train/depth_first/depth_first_choose.h"

#include "common/cleanup.h"
#include "tests/engine/train/small_network.h"
#include "tests/test.h"

#include <glob.h>

static struct network network;
static struct parameters parameters;
static struct net_options options = {
    .batch = 4, .type = DNN_F32, .seed = 3, .sgd = {.learning_rate = 0.1f}, .threads = 2};

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
    struct error err = {0};

    asked.plan = plan;
    asked.batch = batch;
    EXPECT(depth_first_choose(&network, &asked, &parameters, &chosen, &err));
    EXPECT_STR(err.message, "");
    return chosen;
}

static void the_fixed_plan_is_the_same_for_every_stage(void)
{
    const struct plan plan = choose(NET_FIXED, 4);

    EXPECT_STR(plan.origin, "fixed");
    EXPECT(plan.count > 1);
    for (int i = 1; i < plan.count; i++)
        EXPECT_INT(plan.stages[i].kilobytes, plan.stages[0].kilobytes);
}

static void a_fixed_plan_may_have_other_chunks(void)
{
    options.chunk_kilobytes = 300;
    EXPECT_INT(choose(NET_FIXED, 4).stages[1].kilobytes, 300);
    options.chunk_kilobytes = 0;
    EXPECT(choose(NET_FIXED, 4).stages[1].kilobytes > 300);
}

static void what_one_net_has_measured_the_next_finds(void)
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

/* Removes the folder with the plans that the tests have stored. */
static void clean_up(const char *folder)
{
    char text[64];
    glob_t plans;

    snprintf(text, sizeof text, "%s/pennyworth/*", folder);
    if (glob(text, 0, NULL, &plans) == 0) {
        for (size_t i = 0; i < plans.gl_pathc; i++)
            unlink(plans.gl_pathv[i]);
        globfree(&plans);
    }
    snprintf(text, sizeof text, "%s/pennyworth", folder);
    rmdir(text);
    rmdir(folder);
}

int main(void)
{
    char folder[] = "/tmp/pennyworth-choose-XXXXXX";
    struct error err = {0};

    if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0)
        return 1;
    options.isa = cpu_probe();
    small_network(&network);
    if (!parameters_make(&parameters, &network, options.seed, &err))
        return 1;
    RUN(the_fixed_plan_is_the_same_for_every_stage);
    RUN(a_fixed_plan_may_have_other_chunks);
    RUN(what_one_net_has_measured_the_next_finds);
    parameters_free(&parameters);
    clean_up(folder);
    return test_result();
}
