#include "engine/train/networks/parameters.h"

#include "engine/train/networks/resnet50.h"
#include "engine/train/networks/tensor_init.h"
#include "tests/test.h"

static bool make(struct parameters *parameters)
{
    struct network net;
    struct error err = {0};

    resnet50_describe(&net);
    return parameters_make(parameters, &net, 1, &err);
}

TEST(there_are_161_and_none_is_missed)
{
    AUTO(parameters_free) struct parameters parameters;
    size_t sum = 0;

    EXPECT(make(&parameters));
    for (int i = 0; i < parameters.count; i++)
        sum += parameters.list[i].count;
    EXPECT_INT(parameters.count, 161);
    EXPECT_INT((long long)sum, 25557032);
    EXPECT(parameters_find(&parameters, "layer4.2.conv3", "weight"));
    EXPECT(!parameters_find(&parameters, "layer4.3.conv1", "weight"));
}

TEST(they_are_filled_by_the_recipe)
{
    static const struct {
        const char *layer, *which;
        float scale, shift;
    } rules[] = {
        {"conv1", "weight", 0.20203051f, 0}, /* sqrt(6 / (3 * 7 * 7)) */
        {"bn1", "weight", 0.1f, 1},
        {"bn1", "bias", 0.1f, 0},
        {"layer2.0.bn3", "weight", 0.01f, 0.1f}, /* the quiet one */
        {"layer2.0.downsample.1", "weight", 0.1f, 1},
        {"fc", "weight", 0.022097087f, 0}, /* sqrt(1 / 2048) */
        {"fc", "bias", 0.01f, 0},
    };
    AUTO(parameters_free) struct parameters parameters;

    EXPECT(make(&parameters));
    for (size_t i = 0; i < COUNT(rules); i++) {
        const struct parameter *p = parameters_find(&parameters, rules[i].layer, rules[i].which);

        for (size_t k = 0; k < p->count; k += p->count / 3)
            EXPECT_NEAR(
                (double)p->value[k],
                (double)(rules[i].shift + rules[i].scale * tensor_init_noise(p->name, 1, k)),
                1e-7);
    }
}

/* PyTorch's SGD, three steps of one number by hand: v = m v + (g + d w); w -= l v. */
TEST(the_update_is_sgd_with_momentum_and_decay)
{
    const struct sgd sgd = {.learning_rate = 0.1f, .momentum = 0.9f, .weight_decay = 0.01f};
    AUTO(parameters_free) struct parameters parameters;
    double w, v = 0;
    struct parameter *bias;

    EXPECT(make(&parameters));
    bias = parameters_find(&parameters, "fc", "bias");
    w = (double)bias->value[3];
    for (int step = 0; step < 3; step++) {
        bias->gradient[3] = 0.5f * (float)(step + 1);
        v = 0.9 * v + 0.5 * (step + 1) + 0.01 * w;
        w -= 0.1 * v;
        parameters_update(&parameters, &sgd);
        EXPECT_NEAR((double)bias->value[3], w, 1e-6);
    }
}

TEST(a_released_value_may_be_written_again_and_leaves_its_neighbours_alone)
{
    struct network network = {.count = 1,
                              .layers = {{.kind = LAYER_CONV,
                                          .name = "conv",
                                          .norm = "norm",
                                          .in_channels = 64,
                                          .out_channels = 64,
                                          .kernel = 3}}};
    struct parameters parameters = {0};
    struct parameter *weight, *scale;
    float first;

    EXPECT(parameters_make(&parameters, &network, 5, NULL));
    weight = parameters_find(&parameters, "conv", "weight");
    scale = parameters_find(&parameters, "norm", "weight");
    first = scale->value[0];
    weight->gradient[0] = 7;
    parameter_release(weight);
    EXPECT(scale->value[0] == first);
    EXPECT(weight->gradient[0] == 7);
    for (size_t i = 0; i < weight->count; i++)
        weight->value[i] = (float)i;
    EXPECT(weight->value[weight->count - 1] == (float)(weight->count - 1));
    parameters_free(&parameters);
}
