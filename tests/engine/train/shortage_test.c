/* Each allocation of the engine fails, in its turn: building a net or its first step then fails
 * with a reason, and leaks nothing (the address sanitizer looks). What libraries allocate for
 * themselves is left alone: that is theirs to survive. */
#include "engine/train/workloads/net_new.h"

#include "common/cleanup.h"
#include "tests/engine/train/shortage.h"
#include "tests/engine/train/small_network.h"
#include "tests/test.h"

/* Whether everything went well, with `allowed` allocations before the one that fails. */
static bool attempt(const struct net_options *options, long long allowed, struct error *err)
{
    struct network network;
    struct step_split times;
    struct net *net;
    double loss;
    bool ok;

    small_network(&network);
    ration.allowed = allowed;
    ration.refused = 0;
    ration.on = true;
    net = net_new(&network, options, err);
    ok = net && net_step(net, &loss, &times, err) && net_parameters(net, err);
    ration.on = false;
    net_free(net);
    return ok;
}

static void survive(enum net_plan plan, enum net_layout layout, int threads, int workers)
{
    const struct net_options options = {.batch = 4,
                                        .type = DNN_BF16,
                                        .sgd = {.learning_rate = 0.1f, .momentum = 0.9f},
                                        .threads = threads,
                                        .isa = cpu_probe(),
                                        .plan = plan,
                                        .layout = layout,
                                        .input_workers = workers,
                                        .keep_gradients = true};
    long long allowed = 0;
    bool refused = true;

    if (plan == NET_PLAIN && options.isa < CPU_AVX512)
        return; /* has no bf16 here */
    for (; refused && allowed < 5000; allowed++) {
        struct error err = {0};
        bool ok = attempt(&options, allowed, &err);

        refused = ration.refused > 0;
        EXPECT_INT(ok, !refused);
        if (refused)
            EXPECT_INT(err.kind, ERROR_INTERNAL);
    }
    EXPECT(!refused); /* because nothing was left to fail */
    printf("       %lld shortages\n", allowed - 1);
}

static void the_plain_plan_survives_every_shortage(void)
{
    for (int layout = NET_NHWC; layout <= NET_BLOCKED; layout++)
        survive(NET_PLAIN, (enum net_layout)layout, 1, 0);
}

static void the_fixed_plan_survives_every_shortage(void)
{
    survive(NET_FIXED, NET_NHWC, 2, 1);
}

int main(void)
{
    RUN(the_plain_plan_survives_every_shortage);
    RUN(the_fixed_plan_survives_every_shortage);
    return test_result();
}
