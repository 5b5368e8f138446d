/* The second text generator of the article's logs: an LSTM with two losses, and batch-norm. */
#include "engine/train/networks/recipe.h"

#include <stdio.h>

#define TEXTGEN_LENGTH 40

/* A dense layer without bias, its batch-norm and a ReLU: "fc1" and "bn1". */
static int textgen2017_normalised(struct graph *g, int input, int number, long columns)
{
    struct node dense = {
        .kind = NODE_DENSE, .input = input, .columns = columns, .no_bias = true, .gain = 6};
    struct node norm = {.kind = NODE_BATCH_NORM,
                        .activation = ACTIVATION_RELU,
                        .epsilon = 1e-3f,
                        .momentum = 0.01f};

    snprintf(dense.name, sizeof dense.name, "fc%d", number);
    snprintf(norm.name, sizeof norm.name, "bn%d", number);
    norm.input = graph_add(g, dense);
    return graph_add(g, norm);
}

static void textgen2017_fill(struct graph *g, long length)
{
    const struct data_shape data = {
        .kind = DATA_CHARACTERS, .length = TEXTGEN_LENGTH, .vocabulary = 57, .classes = 57};
    int x, state, aside;

    (void)length;
    graph_start(g, &data);
    x = graph_add(
        g,
        (struct node){.kind = NODE_EMBEDDING, .name = "embedding", .columns = 300, .scale = 1});
    state = graph_add(
        g, (struct node){
               .kind = NODE_LSTM, .name = "lstm", .input = x, .columns = 128, .directions = 1});
    aside = graph_add(
        g, (struct node){
               .kind = NODE_DENSE, .name = "aux", .input = state, .columns = 57, .gain = 1});
    x = textgen2017_normalised(g, state, 1, 512);
    x = textgen2017_normalised(g, x, 2, 256);
    x = graph_add(
        g,
        (struct node){.kind = NODE_DENSE, .name = "main", .input = x, .columns = 57, .gain = 1});
    graph_add(g, (struct node){.kind = NODE_SOFTMAX_LOSS, .input = aside, .share = 0.2f});
    graph_add(g, (struct node){.kind = NODE_SOFTMAX_LOSS, .input = x});
}

const struct recipe recipe_textgen2017 = {.name = "textgen2017",
                                          .fill = textgen2017_fill,
                                          .batch = 128,
                                          .length = TEXTGEN_LENGTH,
                                          .optimizer = {.kind = OPTIMIZER_ADAM,
                                                        .lr = 1e-3,
                                                        .lr_decay = 1e-4,
                                                        .beta1 = 0.9,
                                                        .beta2 = 0.999,
                                                        .eps = 1e-8}};
