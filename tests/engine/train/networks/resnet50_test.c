#include "engine/train/networks/resnet50.h"

#include "tests/test.h"

static void with_resnet50(void (*test)(const struct network *net))
{
    struct network net;

    resnet50_describe(&net);
    test(&net);
}

#define TEST_OF_RESNET50(name) TEST_GIVEN(name, const struct network *net, with_resnet50)

TEST_OF_RESNET50(resnet50_has_the_published_size)
{
    int convolutions = 0, additions = 0, projections = 0;

    for (int i = 0; i < net->count; i++) {
        const struct layer *layer = &net->layers[i];

        convolutions += layer->kind == LAYER_CONV;
        additions += layer->adds >= 0;
        projections += strstr(layer->name, "downsample") != NULL;
        EXPECT(layer->input < i); /* runnable in list order */
        EXPECT(layer->adds < i);
    }
    EXPECT_INT(convolutions, 53); /* 49 in the paper's count, 4 projection shortcuts */
    EXPECT_INT(projections, 4);
    EXPECT_INT(additions, 16);
    EXPECT_INT(network_parameters(net), 25557032);
    EXPECT_INT(network_multiply_adds(net), 4089184256);
}

/* 224 x 224: the first convolution, 7x7x3x64 products for each of 112 x 112 outputs, is the only
 * layer that reads images. The literature gives 11.11 M activations for ResNet-50. */
TEST_OF_RESNET50(on_its_way_back_resnet50_multiplies_twice_but_for_the_images)
{
    EXPECT_INT(network_backward_weights_multiply_adds(net), 4089184256);
    EXPECT_INT(network_backward_data_multiply_adds(net),
               4089184256 - 7LL * 7 * 3 * 64 * 112 * 112);
    EXPECT_INT(network_kept_numbers(net), 11113984);
}

TEST_OF_RESNET50(what_is_added_has_the_same_shape)
{
    for (int i = 0; i < net->count; i++) {
        const struct layer *layer = &net->layers[i];

        if (layer->adds < 0)
            continue;
        EXPECT_INT(net->layers[layer->adds].out_channels, layer->out_channels);
        EXPECT_INT(net->layers[layer->adds].out_size, layer->out_size);
        EXPECT(layer->relu);
    }
}

TEST_OF_RESNET50(the_stride_sits_on_the_3x3)
{
    int strided = 0;

    for (int i = 2; i < net->count - 2; i++)
        if (net->layers[i].stride == 2 && !strstr(net->layers[i].name, "downsample")) {
            EXPECT_INT(net->layers[i].kernel, 3);
            strided++;
        }
    EXPECT_INT(strided, 3);
}

TEST_OF_RESNET50(layers_are_named_as_torchvision_names_them)
{
    EXPECT_STR(net->layers[0].name, "conv1");
    EXPECT_STR(net->layers[0].norm, "bn1");
    EXPECT_STR(net->layers[2].name, "layer1.0.downsample.0");
    EXPECT_STR(net->layers[2].norm, "layer1.0.downsample.1");
    EXPECT_STR(net->layers[3].name, "layer1.0.conv1");
    EXPECT_STR(net->layers[net->count - 1].name, "fc");
    EXPECT_INT(net->layers[net->count - 3].out_size, 7);
}
