#include "engine/train/workloads/certificate.h"

#include "engine/train/networks/recipes.h"
#include "engine/train/workloads/net_new.h"
#include "tests/engine/train/small_network.h"
#include "tests/test.h"

#include <math.h>

/* Two gradients that are alike, until a test changes one. */
static struct parameters exact, fast;
static struct network network;

static void make_both(void)
{
    small_network(&network);
    EXPECT_OK(parameters_make(&exact, &network, 1, &err));
    EXPECT_OK(parameters_make(&fast, &network, 1, &err));
    for (int i = 0; i < exact.count; i++)
        for (size_t k = 0; k < exact.list[i].count; k++) {
            exact.list[i].gradient[k] = exact.list[i].value[k];
            /* A length is no direction. */
            fast.list[i].gradient[k] = 2 * exact.list[i].value[k];
        }
}

static void free_both(void)
{
    parameters_free(&exact);
    parameters_free(&fast);
}

TEST(the_same_direction_is_one)
{
    struct certificate certificate;

    make_both();
    certificate = certificate_of(&network, &exact, &fast);
    EXPECT_NEAR(certificate.cosine, 1, 1e-12);
    EXPECT_NEAR(certificate.worst, 1, 1e-12);
    for (int i = 0; i < fast.count; i++)
        for (size_t k = 0; k < fast.list[i].count; k++)
            fast.list[i].gradient[k] *= -1;
    EXPECT_NEAR(certificate_of(&network, &exact, &fast).cosine, -1, 1e-12);
    free_both();
}

TEST(a_single_wrong_layer_is_named)
{
    struct certificate certificate;
    struct parameter *weights;

    make_both();
    weights = parameters_find(&fast, "layer2.1.conv2", "weight");
    for (size_t k = 0; k < weights->count; k++) /* as if images and gradients did not match */
        weights->gradient[k] = weights->value[(k + 7) % weights->count];
    certificate = certificate_of(&network, &exact, &fast);
    EXPECT_NEAR(certificate.worst, 0, 0.1);
    EXPECT_STR(certificate.worst_name, "layer2.1.conv2.weight");
    memset(weights->gradient, 0, weights->count * sizeof(float));
    EXPECT_NEAR(certificate_of(&network, &exact, &fast).worst, 0, 0);
    free_both();
}

TEST(what_is_not_a_number_has_no_direction)
{
    make_both();
    fast.list[3].gradient[2] = NAN;
    EXPECT_NEAR(certificate_of(&network, &exact, &fast).cosine, 0, 0);
    fast.list[3].gradient[2] = INFINITY;
    EXPECT_NEAR(certificate_of(&network, &exact, &fast).cosine, 0, 0);
    free_both();
}

static struct net_options options_of(enum net_plan plan, enum dnn_type type)
{
    return (struct net_options){.batch = 1000000, /* its own is enough */
                                .type = type,
                                .seed = 3,
                                .sgd = {.learning_rate = 0.05f},
                                .threads = 2,
                                .isa = cpu_probe(),
                                .plan = plan,
                                .input_workers = 1};
}

TEST(bf16_leads_where_f32_does_in_every_plan)
{
    static const enum net_plan plans[] = {NET_AUTO, NET_PLAIN};

    small_network(&network);
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        const struct net_options options = options_of(plans[i], DNN_BF16);
        struct certificate certificate = {0};

        if (plans[i] == NET_PLAIN && options.isa < CPU_AVX512)
            continue; /* has no bf16 here */
        EXPECT_OK(certificate_make(&network, &options, &certificate, &err));
        EXPECT(certificate.cosine > 0.99);
        EXPECT(certificate.cosine < 1); /* they are not one and the same */
        EXPECT(certificate.worst > CERTIFICATE_WORST_MIN);
    }
}

TEST(f32_is_f32_in_every_plan)
{
    const struct net_options options = options_of(NET_PLAIN, DNN_F32);
    struct certificate certificate = {0};

    small_network(&network);
    EXPECT_OK(certificate_make(&network, &options, &certificate, &err));
    EXPECT_NEAR(certificate.cosine, 1, 1e-4);
    EXPECT_NEAR(certificate.worst, 1, 1e-3);
}

TEST(other_images_lead_elsewhere)
{
    struct net_options options = options_of(NET_FIXED, DNN_F32);
    struct net *nets[2];
    struct error err = {0};

    small_network(&network);
    options.batch = 8;
    options.input_workers = 0;
    options.keep_gradients = true;
    for (int i = 0; i < 2; i++) {
        struct step_split times;
        double loss;

        options.seed = (unsigned long long)i;
        nets[i] = net_new(&network, &options, &err);
        EXPECT(nets[i] && net_step(nets[i], &loss, &times, &err));
    }
    struct certificate certificate =
        certificate_of(&network, net_parameters(nets[0], &err), net_parameters(nets[1], &err));
    EXPECT(certificate.cosine < 0.97);
    EXPECT(certificate.worst < 0.5);
    net_free(nets[0]);
    net_free(nets[1]);
}

TEST(a_graph_has_one_by_its_own_matrices)
{
    const struct net_options options = {
        .batch = 4, .type = DNN_BF16, .seed = 1, .threads = 2, .isa = cpu_probe()};
    struct certificate certificate = {0};

    EXPECT(certificate_make_of_graph(recipe_find("lstm2017"), &options, &certificate, NULL));
    EXPECT(certificate.cosine > 0.999 && certificate.cosine < 1);
    EXPECT(certificate.worst > CERTIFICATE_WORST_MIN);
    EXPECT_PART(certificate.worst_name, "weight");
}
