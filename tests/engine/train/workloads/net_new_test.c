/* A small network in every plan: what a step computes must not depend on how it is worked. */
#include "engine/train/workloads/net_new.h"

#include "tests/engine/train/small_network.h"
#include "tests/test.h"

#include <math.h>
#include <stdint.h>

#define BATCH 6
#define STEPS 3

/* The results of a few steps. */
struct outcome {
    double losses[STEPS], norms[PARAMETERS_MAX], gradient_square;
    unsigned long long bits; /* of every parameter */
    long long count;
};

static struct net_options options_of(bool plain, int threads, enum dnn_type type)
{
    return (struct net_options){.batch = BATCH,
                                .type = type,
                                .seed = 3,
                                .sgd = {.learning_rate = 0.05f, .momentum = 0.5f},
                                .threads = threads,
                                .isa = cpu_probe(),
                                .plan = plain ? NET_PLAIN : NET_FIXED,
                                .keep_gradients = true};
}

static void look(const struct parameters *parameters, struct outcome *ret)
{
    ret->count = parameters->count;
    for (int i = 0; i < parameters->count; i++) {
        const struct parameter *p = &parameters->list[i];
        double square = 0;

        for (size_t k = 0; k < p->count; k++) {
            uint32_t bits;

            square += (double)p->gradient[k] * (double)p->gradient[k];
            memcpy(&bits, &p->value[k], sizeof bits);
            ret->bits = ret->bits * 1099511628211ULL ^ bits;
        }
        ret->norms[i] = sqrt(square);
        ret->gradient_square += square;
    }
}

static struct outcome train(struct net_options options)
{
    struct outcome outcome = {0};
    struct network network;
    struct error err = {0};
    struct net *net;

    small_network(&network);
    net = net_new(&network, &options, &err);
    EXPECT_STR(err.message, "");
    for (int i = 0; net && i < STEPS; i++) {
        struct step_split times;

        EXPECT(net_step(net, &outcome.losses[i], &times, &err));
        EXPECT(times.input >= 0 && times.forward > 0 && times.backward > 0 && times.update > 0);
    }
    if (net)
        look(net_parameters(net, &err), &outcome);
    net_free(net);
    return outcome;
}

static void expect_alike(const struct outcome *a, struct outcome other, double tolerance)
{
    const struct outcome *b = &other;

    for (int i = 0; i < STEPS; i++)
        EXPECT_NEAR(a->losses[i] / b->losses[i], 1, tolerance);
    EXPECT_INT(a->count, b->count);
    for (int i = 0; i < a->count; i++)
        EXPECT_NEAR(a->norms[i] / b->norms[i], 1, 100 * tolerance);
}

TEST(both_plans_compute_the_same)
{
    struct outcome first = train(options_of(true, 1, DNN_F32));

    expect_alike(&first, train(options_of(false, 1, DNN_F32)), 1e-5);
    EXPECT(first.losses[0] > 2 && first.losses[STEPS - 1] < first.losses[0]);
}

TEST(every_layout_computes_the_same)
{
    for (int type = DNN_F32; type <= (cpu_probe() < CPU_AVX512 ? DNN_F32 : DNN_BF16); type++) {
        struct net_options options = options_of(true, 1, (enum dnn_type)type);
        struct outcome first = train(options);

        for (int layout = NET_NCHW; layout <= NET_BLOCKED; layout++) {
            options.layout = (enum net_layout)layout;
            expect_alike(&first, train(options), type == DNN_F32 ? 1e-5 : 2e-3);
        }
    }
}

TEST(only_the_plain_plan_has_several_layouts)
{
    for (int layout = NET_NCHW; layout <= NET_BLOCKED; layout++) {
        struct net_options options = options_of(false, 1, DNN_F32);
        struct network network;

        options.layout = (enum net_layout)layout;
        small_network(&network);
        EXPECT_WRONG(net_new(&network, &options, &err), "layout",
                     "nchw and blocked are layouts of the plain plan");
    }
}

TEST(a_net_says_which_layout_auto_became_and_what_it_multiplies)
{
    struct network network;

    small_network(&network);
    for (int plain = 0; plain < 2; plain++) {
        struct net_options options = options_of(plain, 1, DNN_F32);
        struct net *net;
        struct net_facts facts;

        options.layout = net_layout_from_name("auto");
        net = net_new(&network, &options, NULL);
        EXPECT(net != NULL);
        if (!net)
            continue;
        facts = net_facts(net);
        EXPECT_STR(facts.layout, "nhwc");
        EXPECT_INT(facts.multiply_adds, network_multiply_adds(&network));
        EXPECT_INT(facts.backward_multiply_adds,
                   network_backward_weights_multiply_adds(&network) +
                       network_backward_data_multiply_adds(&network));
        net_free(net);
    }
}

/* The outputs of the small network's convolutions, for six images, are less than 8 MB. */
TEST(what_a_step_moves_is_known_where_no_cache_holds_it)
{
    struct net_options options = options_of(true, 1, DNN_BF16);
    struct network network;
    long l1d, l2, l3;

    cpu_caches(&l1d, &l2, &l3);
    small_network(&network);
    options.layout = NET_BLOCKED;
    EXPECT_STR(net_facts_of(&network, &options).layout, "blocked");
    if (l3 > 8 << 20)
        EXPECT_INT(net_facts_of(&network, &options).step_bytes, 0);
    options.batch = 1000000; /* nothing is made of it */
    EXPECT_INT(net_facts_of(&network, &options).step_bytes,
               l3 > 0 ? 2 * (2 * 1000000 * network_kept_numbers(&network) +
                             4 * network_parameters(&network))
                      : 0);
}

TEST(any_number_of_threads_computes_the_same)
{
    struct outcome first = train(options_of(false, 1, DNN_F32));

    /* More than images too. */
    for (int threads = 2; threads <= BATCH + 2; threads++)
        expect_alike(&first, train(options_of(false, threads, DNN_F32)), 1e-5);
}

TEST(groups_of_threads_compute_the_same)
{
    struct net_options options = options_of(false, 1, DNN_BF16);
    struct outcome first;

    if (cpu_probe() < CPU_AVX512_BF16) {
        printf("skipped: nothing is computed in slices here\n");
        return;
    }
    first = train(options);
    for (options.threads = 2; options.threads <= BATCH + 1; options.threads++)
        for (options.group = 2; options.group <= options.threads; options.group++)
            expect_alike(&first, train(options), 1e-3);
}

TEST(the_same_run_gives_the_same_bits)
{
    for (int threads = 1; threads <= 3; threads++)
        for (int type = DNN_F32; type <= DNN_BF16; type++) {
            const struct net_options options = options_of(false, threads, (enum dnn_type)type);
            struct outcome first = train(options), second = train(options);

            EXPECT_INT(memcmp(&first, &second, sizeof first), 0);
        }
}

TEST(a_batch_made_during_the_step_is_the_same)
{
    struct net_options options = options_of(false, 2, DNN_F32);
    struct outcome first = train(options), second;

    for (options.input_workers = 1; options.input_workers <= 3; options.input_workers++) {
        second = train(options);
        EXPECT_INT(memcmp(&first, &second, sizeof first), 0);
    }
}

TEST(bf16_is_f32_but_for_rounding)
{
    struct outcome first = train(options_of(false, 2, DNN_F32));
    struct outcome second = train(options_of(false, 2, DNN_BF16));

    for (int i = 0; i < STEPS; i++)
        EXPECT_NEAR(second.losses[i] / first.losses[i], 1, 0.02);
}

/* The cap is on our own passes; the library's is set once for the whole process. */
TEST(every_instruction_set_computes_the_same)
{
    struct net_options options = options_of(false, 2, DNN_F32);
    struct outcome first = train(options);

    for (options.isa = CPU_BASE; options.isa < cpu_probe(); options.isa++)
        expect_alike(&first, train(options), 1e-5);
}

/* A short step against the gradient lowers the loss by the step's length times its square. */
TEST(the_gradient_is_the_slope_of_the_loss)
{
    struct net_options options = options_of(false, 2, DNN_F32);
    struct outcome outcome;
    struct network network;
    struct step_split times;
    struct net *net;
    double before, after;

    options.sgd = (struct sgd){.learning_rate = 1e-4f};
    small_network(&network);
    net = net_new(&network, &options, NULL);
    EXPECT(net_step(net, &before, &times, NULL));
    outcome = (struct outcome){0};
    look(net_parameters(net, NULL), &outcome);
    EXPECT(net_step(net, &after, &times, NULL));
    EXPECT_NEAR((before - after) / (1e-4 * outcome.gradient_square), 1, 0.05);
    net_free(net);
}

TEST(a_batch_that_cannot_fit_is_refused_with_its_need)
{
    for (int plain = 0; plain <= 1; plain++) {
        struct net_options options = options_of(plain, 1, DNN_F32);
        struct network network;
        struct error err = {0};

        options.batch = 65536;
        resnet50_describe(&network);
        EXPECT(net_new(&network, &options, &err) == NULL);
        EXPECT_STR(err.field, "batch_size");
        EXPECT(strstr(err.message, "65536 needs") && strstr(err.message, "GiB are free"));
    }
}

TEST(too_many_threads_are_refused)
{
    const struct net_options options = options_of(false, 100000, DNN_F32);
    struct network network;

    small_network(&network);
    EXPECT_INVALID(net_new(&network, &options, &err), "threads");
}
