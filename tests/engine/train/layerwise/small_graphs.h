/* Small graphs that have every kind of node between them. */
#pragma once

#include "engine/train/networks/recipes.h"

/* Convolutions, with and without padding, whose pool leaves out a line; dropout; dense layers. */
static inline void graph_of_images(struct graph *g)
{
    const struct data_shape data = {.kind = DATA_IMAGES, .image = {1, 2, 7, 7}, .classes = 3};
    int x;

    graph_start(g, &data);
    x = graph_add(g, (struct node){.kind = NODE_CONV,
                                   .name = "conv1",
                                   .columns = 8,
                                   .kernel = 3,
                                   .padding = 1,
                                   .gain = 1});
    x = graph_add(g, (struct node){.kind = NODE_CONV,
                                   .name = "conv2",
                                   .input = x,
                                   .columns = 5,
                                   .kernel = 3,
                                   .activation = ACTIVATION_RELU,
                                   .gain = 3});
    x = graph_add(g, (struct node){.kind = NODE_MAX_POOL, .input = x});
    x = graph_add(
        g, (struct node){.kind = NODE_DROPOUT, .name = "drop", .input = x, .keep_out = 0.25});
    x = graph_add(g, (struct node){.kind = NODE_DENSE,
                                   .name = "fc1",
                                   .input = x,
                                   .columns = 11,
                                   .activation = ACTIVATION_RELU,
                                   .gain = 3});
    x = graph_add(
        g, (struct node){.kind = NODE_DENSE, .name = "fc2", .input = x, .columns = 3, .gain = 1});
    graph_add(g, (struct node){.kind = NODE_SOFTMAX_LOSS, .input = x});
}

/* An LSTM of so many directions over an embedding, whose state two layers read: a batch-norm's
 * and an auxiliary one. */
static inline void graph_of_text(struct graph *g, long length, long directions)
{
    const struct data_shape data = {
        .kind = DATA_CHARACTERS, .length = length, .vocabulary = 4, .classes = 4};
    int x, state, aside;

    graph_start(g, &data);
    x = graph_add(
        g, (struct node){.kind = NODE_EMBEDDING, .name = "embedding", .columns = 5, .scale = 1});
    state = graph_add(g, (struct node){.kind = NODE_LSTM,
                                       .name = "lstm",
                                       .input = x,
                                       .columns = 6,
                                       .directions = directions});
    aside = graph_add(
        g, (struct node){
               .kind = NODE_DENSE, .name = "aux", .input = state, .columns = 4, .gain = 1});
    x = graph_add(g, (struct node){.kind = NODE_DENSE,
                                   .name = "fc1",
                                   .input = state,
                                   .columns = 9,
                                   .no_bias = true,
                                   .gain = 6});
    x = graph_add(g, (struct node){.kind = NODE_BATCH_NORM,
                                   .name = "bn1",
                                   .input = x,
                                   .activation = ACTIVATION_RELU,
                                   .epsilon = 1e-3f,
                                   .momentum = 0.01f});
    x = graph_add(
        g,
        (struct node){.kind = NODE_DENSE, .name = "main", .input = x, .columns = 4, .gain = 1});
    graph_add(g, (struct node){.kind = NODE_SOFTMAX_LOSS, .input = aside, .share = 0.2f});
    graph_add(g, (struct node){.kind = NODE_SOFTMAX_LOSS, .input = x});
}

/* One-hot characters into an LSTM. */
static inline void graph_of_characters(struct graph *g, long length)
{
    const struct data_shape data = {
        .kind = DATA_CHARACTERS, .length = length, .vocabulary = 7, .classes = 7};
    int x;

    graph_start(g, &data);
    x = graph_add(g, (struct node){.kind = NODE_ONE_HOT});
    x = graph_add(
        g, (struct node){
               .kind = NODE_LSTM, .name = "lstm", .input = x, .columns = 6, .directions = 1});
    x = graph_add(
        g, (struct node){.kind = NODE_DENSE, .name = "fc", .input = x, .columns = 7, .gain = 1});
    graph_add(g, (struct node){.kind = NODE_SOFTMAX_LOSS, .input = x});
}

/* The mean of embeddings, and a logit. */
static inline void graph_of_means(struct graph *g, long length)
{
    const struct data_shape data = {
        .kind = DATA_REVIEWS, .length = length, .vocabulary = 30, .classes = 2};
    int x;

    graph_start(g, &data);
    x = graph_add(
        g, (struct node){.kind = NODE_EMBEDDING, .name = "embedding", .columns = 5, .scale = 1});
    x = graph_add(g, (struct node){.kind = NODE_MEAN, .input = x});
    x = graph_add(
        g, (struct node){.kind = NODE_DENSE, .name = "fc", .input = x, .columns = 1, .gain = 1});
    graph_add(g, (struct node){.kind = NODE_SIGMOID_LOSS, .input = x});
}

/* Layer norm, attention, GELU, values that are added, and a weight that is used twice. */
static inline void graph_of_a_transformer(struct graph *g, long length)
{
    recipe_fill(recipe_find("gpt2_tiny"), length, g);
}
