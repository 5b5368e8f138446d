/* Each tensor of the engine finds no memory, in its turn: building a net or its first step then
 * fails with a reason, and leaks nothing (the address sanitizer looks). What libraries allocate
 * for themselves is left alone: that is theirs to survive. */
#include "engine/train/workloads/net_new.h"

#include "common/cleanup.h"
#include "engine/train/layerwise/layerwise.h"
#include "tests/engine/train/fake_ranks.h"
#include "tests/engine/train/layerwise/small_graphs.h"
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

static void survive(enum net_plan plan, enum net_layout layout, int threads, int workers,
                    struct joiner *joiner)
{
    const struct net_options options = {.batch = 4,
                                        .type = DNN_BF16,
                                        .sgd = {.learning_rate = 0.1f, .momentum = 0.9f},
                                        .threads = threads,
                                        .isa = cpu_probe(),
                                        .plan = plan,
                                        .layout = layout,
                                        .input_workers = workers,
                                        .keep_gradients = true,
                                        .joiner = joiner};
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
    EXPECT(!refused);    /* because nothing was left to fail */
    EXPECT(allowed > 1); /* and something was */
    printf("       %lld shortages\n", allowed - 1);
}

TEST(the_plain_plan_survives_every_shortage)
{
    for (int layout = NET_NHWC; layout <= NET_BLOCKED; layout++)
        survive(NET_PLAIN, (enum net_layout)layout, 1, 0, NULL);
}

TEST(the_fixed_plan_survives_every_shortage)
{
    survive(NET_FIXED, NET_NHWC, 2, 1, NULL);
}

TEST(a_rank_survives_every_shortage)
{
    struct joiner joiner = {&fake_apart, 2, 1, ""};

    survive(NET_FIXED, NET_NHWC, 2, 0, &joiner);
}

static bool attempt_graph(const struct graph *graph, long long allowed, struct error *err)
{
    const struct optimizer optimizer = {.kind = OPTIMIZER_ADAM, .lr = 0.01, .eps = 1e-8};
    const struct net_options options = {
        .batch = 3, .type = DNN_BF16, .seed = 1, .threads = 2, .isa = cpu_probe()};
    struct step_split times;
    struct net *net;
    double loss;
    bool ok;

    ration.allowed = allowed;
    ration.refused = 0;
    ration.on = true;
    net = layerwise_new(graph, &optimizer, &options, err);
    ok = net && net_step(net, &loss, &times, err);
    ration.on = false;
    net_free(net);
    return ok;
}

static void survive_graph(const struct graph *graph)
{
    bool refused = true;

    for (long long allowed = 0; refused && allowed < 5000; allowed++) {
        struct error err = {0};
        bool ok = attempt_graph(graph, allowed, &err);

        refused = ration.refused > 0;
        EXPECT_INT(ok, !refused);
        if (refused)
            EXPECT_INT(err.kind, ERROR_INTERNAL);
    }
    EXPECT(!refused);
}

TEST(the_layerwise_plan_survives_every_shortage)
{
    struct graph graph;

    graph_of_images(&graph);
    survive_graph(&graph);
    graph_of_text(&graph, 3, 2);
    survive_graph(&graph);
    graph_of_means(&graph, 3);
    survive_graph(&graph);
    graph_of_a_transformer(&graph, 3);
    survive_graph(&graph);
}
