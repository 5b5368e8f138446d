/* Nets whose gradients ranks join, as threads of one process: every plan learns from the images
 * of all ranks, and every rank ends with the same weights. */
#include "engine/train/net/joiner.h"

#include "common/cleanup.h"
#include "engine/train/layerwise/layerwise.h"
#include "engine/train/workloads/net_new.h"
#include "tests/engine/train/fake_ranks.h"
#include "tests/engine/train/layerwise/small_graphs.h"
#include "tests/engine/train/small_network.h"
#include "tests/threads.h"

#include <math.h>

#define BATCH 3
#define STEPS 3

enum kind { PLAIN, FIXED, GRAPH, TEXT, KINDS };

/* One rank of a trial; what it has seen. */
struct trial {
    enum kind kind;
    long batch;
    struct joiner *joiner;
    struct net *net;
    double losses[STEPS];
    float *gradients; /* of the first step, of all parameters in one piece */
    size_t count;
};

static struct net *make(struct trial *trial)
{
    const struct optimizer sgd = {.kind = OPTIMIZER_SGD, .lr = 0.05, .momentum = 0.9};
    const struct net_options options = {.batch = trial->batch,
                                        .type = DNN_F32,
                                        .seed = 4,
                                        .sgd = {0.05f, 0.9f, 0.01f},
                                        .threads = 2,
                                        .isa = cpu_probe(),
                                        .plan = trial->kind == PLAIN ? NET_PLAIN : NET_FIXED,
                                        .keep_gradients = true,
                                        .joiner = trial->joiner};
    struct network network;
    struct graph graph;

    small_network(&network);
    if (trial->kind == TEXT)
        graph_of_means(&graph, 6, 30);
    else
        graph_of_images(&graph);
    return trial->kind >= GRAPH ? layerwise_new(&graph, &sgd, &options, NULL)
                                : net_new(&network, &options, NULL);
}

/* The library makes a cache at its first use, without locks that the thread sanitizer knows. */
bool test_begin(void)
{
    struct trial trial = {.kind = PLAIN, .batch = BATCH};

    net_free(make(&trial));
    return true;
}

static void keep_gradients(struct trial *trial)
{
    const struct parameters *p = net_parameters(trial->net, NULL);

    for (int i = 0; i < p->count; i++) {
        size_t count = p->list[i].count;

        trial->gradients = realloc(trial->gradients, (trial->count + count) * sizeof(float));
        memcpy(trial->gradients + trial->count, p->list[i].gradient, count * sizeof(float));
        trial->count += count;
    }
}

static void *train(void *argument)
{
    struct trial *trial = argument;

    trial->net = make(trial);
    EXPECT(trial->net != NULL);
    for (int i = 0; i < STEPS; i++) {
        struct step_split split;

        EXPECT(net_step(trial->net, &trial->losses[i], &split, NULL));
        EXPECT(split.communication >= 0);
        EXPECT((split.communication > 0) == joiner_joins(trial->joiner));
        if (i == 0)
            keep_gradients(trial);
    }
    return NULL;
}

static void forget(struct trial *trial)
{
    net_free(trial->net);
    free(trial->gradients);
}

static void train_ranks(struct fake_ranks *ranks, enum kind kind,
                        struct trial trials[FAKE_RANKS_MAX])
{
    for (int i = 0; i < ranks->count; i++)
        trials[i] =
            (struct trial){.kind = kind, .batch = BATCH, .joiner = &ranks->list[i].joiner};
    run_threads(ranks->count, train, trials, sizeof trials[0]);
}

/* The largest difference of two weights. */
static double farthest(struct net *a, struct net *b)
{
    const struct parameters *left = net_parameters(a, NULL), *right = net_parameters(b, NULL);
    double most = 0;

    for (int i = 0; i < left->count; i++)
        for (size_t k = 0; k < left->list[i].count; k++)
            most = fmax(most,
                        fabs((double)left->list[i].value[k] - (double)right->list[i].value[k]));
    return most;
}

TEST(a_net_without_a_joiner_is_one_rank)
{
    float value = 3;

    EXPECT_INT(joiner_ranks(NULL), 1);
    EXPECT_INT(joiner_rank(NULL), 0);
    EXPECT(!joiner_joins(NULL));
    joiner_start(NULL, &value, 1);
    joiner_advance(NULL);
    joiner_finish(NULL);
    joiner_share(NULL, &value, sizeof value);
    EXPECT_NEAR((double)value, 3, 0);
    EXPECT_NEAR(joiner_mean(NULL, 5), 5, 0);
    EXPECT_OK(joiner_agree(NULL, "word", "text", &err));
}

TEST(every_rank_ends_with_the_same_weights_and_losses)
{
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (int count = 2; count <= FAKE_RANKS_MAX; count++) {
            struct trial trials[FAKE_RANKS_MAX];
            struct fake_ranks ranks;

            fake_ranks_open(&ranks, count);
            train_ranks(&ranks, kind, trials);
            for (int i = 1; i < count; i++) {
                EXPECT(same_weights(trials[0].net, trials[i].net));
                for (int step = 0; step < STEPS; step++)
                    EXPECT(memcmp(&trials[0].losses[step], &trials[i].losses[step],
                                  sizeof(double)) == 0);
            }
            for (int i = 0; i < count; i++)
                forget(&trials[i]);
            fake_ranks_close(&ranks);
        }
}

TEST(gradients_and_loss_are_the_means_over_the_ranks)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct trial trials[FAKE_RANKS_MAX], alone[2];
        struct joiner joiners[2] = {{&fake_apart, 2, 0, ""}, {&fake_apart, 2, 1, ""}};
        struct fake_ranks ranks;
        size_t different = 0;

        fake_ranks_open(&ranks, 2);
        train_ranks(&ranks, kind, trials);
        for (int i = 0; i < 2; i++) {
            alone[i] = (struct trial){.kind = kind, .batch = BATCH, .joiner = &joiners[i]};
            train(&alone[i]);
        }
        EXPECT_NEAR(trials[0].losses[0], (alone[0].losses[0] + alone[1].losses[0]) / 2, 1e-12);
        EXPECT(fabs(alone[0].losses[0] - alone[1].losses[0]) > 1e-6); /* other images */
        EXPECT_INT((long long)trials[0].count, (long long)alone[0].count);
        for (size_t i = 0; i < trials[0].count; i++) {
            float sum = alone[0].gradients[i] + alone[1].gradients[i];

            different += memcmp(&sum, &trials[0].gradients[i], sizeof sum) != 0 &&
                         (sum < trials[0].gradients[i] || sum > trials[0].gradients[i]);
        }
        EXPECT_INT((long long)different, 0);
        for (int i = 0; i < 2; i++) {
            forget(&trials[i]);
            forget(&alone[i]);
        }
        fake_ranks_close(&ranks);
    }
}

/* Without batch-norm it does not matter which rank has a sample: dropouts are the same, and so
 * are the rows of an embedding that only the other rank's texts have. */
static void expect_all_samples(enum kind kind)
{
    struct trial trials[FAKE_RANKS_MAX], whole = {.kind = kind, .batch = 2 * BATCH};
    struct fake_ranks ranks;

    fake_ranks_open(&ranks, 2);
    train_ranks(&ranks, kind, trials);
    train(&whole);
    for (int step = 0; step < STEPS; step++)
        EXPECT_NEAR(trials[0].losses[step], whole.losses[step], 1e-6);
    EXPECT(farthest(trials[1].net, whole.net) < 1e-6);
    EXPECT(whole.count > 0 && whole.count == trials[1].count);
    for (size_t i = 0; i < whole.count; i++)
        EXPECT_NEAR((double)trials[1].gradients[i], (double)whole.gradients[i], 1e-6);
    forget(&whole);
    for (int i = 0; i < 2; i++)
        forget(&trials[i]);
    fake_ranks_close(&ranks);
}

TEST(ranks_without_batch_norm_learn_what_one_learns_of_all_samples)
{
    expect_all_samples(GRAPH);
    expect_all_samples(TEXT);
}

/* Weights that lie otherwise would be added to the wrong ones. */
static bool other_layout(struct joiner *joiner, const char *what, const char *text,
                         struct error *err)
{
    static char first[JOINER_TEXT_MAX];

    EXPECT_STR(what, "layout of the weights");
    if (joiner->rank == 0)
        snprintf(first, sizeof first, "%s", text);
    return strcmp(first, text) == 0 || error_set(err, ERROR_INVALID, NULL, "another %s", what);
}

TEST(ranks_whose_weights_lie_otherwise_do_not_train_together)
{
    struct joiner_functions functions = fake_apart;
    struct net_options options = {
        .batch = 2, .threads = 1, .isa = cpu_probe(), .plan = NET_FIXED};
    struct network network;
    struct error err = {0};

    functions.agree = other_layout;
    small_network(&network);
    for (int rank = 0; rank < 3; rank++) {
        struct joiner joiner = {&functions, 3, rank, ""};
        struct net *net;

        options.joiner = &joiner;
        options.isa = rank == 2 ? CPU_BASE : cpu_probe(); /* has other kernels */
        net = net_new(&network, &options, &err);
        EXPECT((net != NULL) == (rank < 2 || cpu_probe() < CPU_AVX2));
        net_free(net);
    }
    if (cpu_probe() >= CPU_AVX2)
        EXPECT_STR(err.message, "another layout of the weights");
}
