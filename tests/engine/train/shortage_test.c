/* Each tensor of the engine finds no memory, in its turn: building a net or its first step then
 * fails with a reason, and leaks nothing (the address sanitizer looks). What libraries allocate
 * for themselves is left alone: that is theirs to survive. */
#include "engine/train/workloads/net_new.h"

#include "engine/train/layerwise/layerwise.h"
#include "tests/engine/train/fake_ranks.h"
#include "tests/engine/train/layerwise/small_graphs.h"
#include "tests/engine/train/shortage.h"
#include "tests/engine/train/small_network.h"
#include "tests/test.h"

static bool take_a_step(void *user, struct error *err)
{
    const struct net_options *options = user;
    struct network network;
    struct step_split times;
    struct net *net;
    double loss;
    bool ok;

    small_network(&network);
    net = net_new(&network, options, err);
    ok = net && net_step(net, &loss, &times, err) && net_parameters(net, err);
    net_free(net);
    return ok;
}

static void survive(enum net_plan plan, enum net_layout layout, int threads, int workers,
                    struct joiner *joiner)
{
    struct net_options options = {.batch = 4,
                                  .type = DNN_BF16,
                                  .sgd = {.learning_rate = 0.1f, .momentum = 0.9f},
                                  .threads = threads,
                                  .isa = cpu_probe(),
                                  .plan = plan,
                                  .layout = layout,
                                  .input_workers = workers,
                                  .keep_gradients = true,
                                  .joiner = joiner};

    if (plan == NET_PLAIN && options.isa < CPU_AVX512)
        return; /* has no bf16 here */
    survive_shortages(take_a_step, &options);
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

static bool take_a_step_of_a_graph(void *user, struct error *err)
{
    const struct optimizer optimizer = {.kind = OPTIMIZER_ADAM, .lr = 0.01, .eps = 1e-8};
    const struct net_options options = {
        .batch = 3, .type = DNN_BF16, .seed = 1, .threads = 2, .isa = cpu_probe()};
    struct step_split times;
    struct net *net = layerwise_new(user, &optimizer, &options, err);
    double loss;
    bool ok = net && net_step(net, &loss, &times, err);

    net_free(net);
    return ok;
}

TEST(the_layerwise_plan_survives_every_shortage)
{
    struct graph graph;

    graph_of_images(&graph);
    survive_shortages(take_a_step_of_a_graph, &graph);
    graph_of_text(&graph, 3, 2);
    survive_shortages(take_a_step_of_a_graph, &graph);
    graph_of_means(&graph, 3, 30);
    survive_shortages(take_a_step_of_a_graph, &graph);
    graph_of_a_transformer(&graph, 3);
    survive_shortages(take_a_step_of_a_graph, &graph);
}
