/* The article's perceptron: 784 > 512 > 512 > 10, with dropout. */
#include "engine/train/networks/recipe.h"

static void mlp2017_fill(struct graph *g, long length)
{
    const struct data_shape data = {.kind = DATA_IMAGES, .image = {1, 784, 1, 1}, .classes = 10};
    int x;

    (void)length;
    graph_start(g, &data);
    x = graph_add(g, (struct node){.kind = NODE_DENSE,
                                   .name = "fc1",
                                   .columns = 512,
                                   .activation = ACTIVATION_RELU,
                                   .gain = 6});
    x = graph_add(
        g, (struct node){.kind = NODE_DROPOUT, .name = "dropout1", .input = x, .keep_out = 0.2});
    x = graph_add(g, (struct node){.kind = NODE_DENSE,
                                   .name = "fc2",
                                   .input = x,
                                   .columns = 512,
                                   .activation = ACTIVATION_RELU,
                                   .gain = 6});
    x = graph_add(
        g, (struct node){.kind = NODE_DROPOUT, .name = "dropout2", .input = x, .keep_out = 0.2});
    x = graph_add(
        g,
        (struct node){.kind = NODE_DENSE, .name = "fc3", .input = x, .columns = 10, .gain = 1});
    graph_add(g, (struct node){.kind = NODE_SOFTMAX_LOSS, .input = x});
}

const struct recipe recipe_mlp2017 = {
    .name = "mlp2017",
    .fill = mlp2017_fill,
    .batch = 128,
    .optimizer = {.kind = OPTIMIZER_RMSPROP, .lr = 1e-3, .rho = 0.9, .eps = 1e-8}};
