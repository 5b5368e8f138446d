/* The article's small convolutional network, on images of 28 x 28. */
#include "engine/train/networks/recipe.h"

static void cnn2017_fill(struct graph *g, long length)
{
    const struct data_shape data = {.kind = DATA_IMAGES, .image = {1, 1, 28, 28}, .classes = 10};
    int x;

    (void)length;
    graph_start(g, &data);
    x = graph_add(g, (struct node){.kind = NODE_CONV,
                                   .name = "conv1",
                                   .columns = 32,
                                   .kernel = 3,
                                   .activation = ACTIVATION_RELU,
                                   .gain = 3});
    x = graph_add(g, (struct node){.kind = NODE_CONV,
                                   .name = "conv2",
                                   .input = x,
                                   .columns = 64,
                                   .kernel = 3,
                                   .activation = ACTIVATION_RELU,
                                   .gain = 3});
    x = graph_add(g, (struct node){.kind = NODE_MAX_POOL, .input = x});
    x = graph_add(
        g, (struct node){.kind = NODE_DROPOUT, .name = "dropout1", .input = x, .keep_out = 0.25});
    x = graph_add(g, (struct node){.kind = NODE_DENSE,
                                   .name = "fc1",
                                   .input = x,
                                   .columns = 128,
                                   .activation = ACTIVATION_RELU,
                                   .gain = 3});
    x = graph_add(
        g, (struct node){.kind = NODE_DROPOUT, .name = "dropout2", .input = x, .keep_out = 0.5});
    x = graph_add(
        g,
        (struct node){.kind = NODE_DENSE, .name = "fc2", .input = x, .columns = 10, .gain = 1});
    graph_add(g, (struct node){.kind = NODE_SOFTMAX_LOSS, .input = x});
}

const struct recipe recipe_cnn2017 = {
    .name = "cnn2017",
    .fill = cnn2017_fill,
    .batch = 128,
    .optimizer = {.kind = OPTIMIZER_ADADELTA, .lr = 1, .rho = 0.95, .eps = 1e-8}};
