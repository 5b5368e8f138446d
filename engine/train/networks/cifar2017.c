/* The article's deeper convolutional network, on colour images of 32 x 32. */
#include "engine/train/networks/recipe.h"

#include <stdio.h>

static int cifar2017_convolve(struct graph *g, int input, const char *name, long channels,
                              long padding)
{
    struct node node = {.kind = NODE_CONV,
                        .input = input,
                        .columns = channels,
                        .kernel = 3,
                        .padding = padding,
                        .activation = ACTIVATION_RELU,
                        .gain = 3};

    snprintf(node.name, sizeof node.name, "%s", name);
    return graph_add(g, node);
}

static void cifar2017_fill(struct graph *g, long length)
{
    const struct data_shape data = {.kind = DATA_IMAGES, .image = {1, 3, 32, 32}, .classes = 10};
    int x;

    (void)length;
    graph_start(g, &data);
    x = cifar2017_convolve(g, 0, "conv1", 32, 1);
    x = cifar2017_convolve(g, x, "conv2", 32, 0);
    x = graph_add(g, (struct node){.kind = NODE_MAX_POOL, .input = x});
    x = graph_add(
        g, (struct node){.kind = NODE_DROPOUT, .name = "dropout1", .input = x, .keep_out = 0.25});
    x = cifar2017_convolve(g, x, "conv3", 64, 1);
    x = cifar2017_convolve(g, x, "conv4", 64, 0);
    x = graph_add(g, (struct node){.kind = NODE_MAX_POOL, .input = x});
    x = graph_add(
        g, (struct node){.kind = NODE_DROPOUT, .name = "dropout2", .input = x, .keep_out = 0.25});
    x = graph_add(g, (struct node){.kind = NODE_DENSE,
                                   .name = "fc1",
                                   .input = x,
                                   .columns = 512,
                                   .activation = ACTIVATION_RELU,
                                   .gain = 3});
    x = graph_add(
        g, (struct node){.kind = NODE_DROPOUT, .name = "dropout3", .input = x, .keep_out = 0.5});
    x = graph_add(
        g,
        (struct node){.kind = NODE_DENSE, .name = "fc2", .input = x, .columns = 10, .gain = 1});
    graph_add(g, (struct node){.kind = NODE_SOFTMAX_LOSS, .input = x});
}

const struct recipe recipe_cifar2017 = {
    .name = "cifar2017",
    .fill = cifar2017_fill,
    .batch = 32,
    .optimizer = {
        .kind = OPTIMIZER_RMSPROP, .lr = 1e-4, .lr_decay = 1e-6, .rho = 0.9, .eps = 1e-8}};
