/* Small graphs that have every kind of node between them, and what tests ask of nets. */
#pragma once

#include "engine/train/net/net.h"
#include "engine/train/networks/recipes.h"

#include <string.h>

/* The nodes behind the data, which is node 0; each reads the one before it where it
 * does not say another. */
static inline void fill_graph(struct graph *g, const struct data_shape *data,
                              const struct node *nodes, int count)
{
    graph_start(g, data);
    for (int i = 0; i < count; i++) {
        struct node node = nodes[i];

        node.input = node.input ? node.input : i;
        graph_add(g, node);
    }
}

/* Convolutions, with and without padding, whose pool leaves out a line; dropout; dense layers. */
static inline void graph_of_images(struct graph *g)
{
    static const struct data_shape data = {
        .kind = DATA_IMAGES, .image = {1, 2, 7, 7}, .classes = 3};
    static const struct node nodes[] = {
        {NODE_CONV, "conv1", .columns = 8, .kernel = 3, .padding = 1, .gain = 1},
        {NODE_CONV, "conv2", .columns = 5, .kernel = 3, .activation = ACTIVATION_RELU, .gain = 3},
        {.kind = NODE_MAX_POOL},
        {NODE_DROPOUT, "drop", .keep_out = 0.25},
        {NODE_DENSE, "fc1", .columns = 11, .activation = ACTIVATION_RELU, .gain = 3},
        {NODE_DENSE, "fc2", .columns = 3, .gain = 1},
        {.kind = NODE_SOFTMAX_LOSS},
    };

    fill_graph(g, &data, nodes, sizeof nodes / sizeof *nodes);
}

/* Convolutions of channels that fill vectors, with and without padding, behind one another and
 * behind a pool. */
static inline void graph_of_wide_images(struct graph *g)
{
    static const struct data_shape data = {
        .kind = DATA_IMAGES, .image = {1, 3, 11, 11}, .classes = 3};
    static const struct node nodes[] = {
        {NODE_CONV, "conv1", .columns = 16, .kernel = 3, .gain = 1},
        {NODE_CONV, "conv2", .columns = 32, .kernel = 3, .padding = 1, .gain = 3,
         .activation = ACTIVATION_RELU},
        {.kind = NODE_MAX_POOL},
        {NODE_CONV, "conv3", .columns = 16, .kernel = 3, .padding = 1, .gain = 1},
        {NODE_CONV, "conv4", .columns = 16, .kernel = 3, .gain = 3,
         .activation = ACTIVATION_RELU},
        {.kind = NODE_MAX_POOL},
        {NODE_DENSE, "fc", .columns = 3, .gain = 1},
        {.kind = NODE_SOFTMAX_LOSS},
    };

    fill_graph(g, &data, nodes, sizeof nodes / sizeof *nodes);
}

/* An LSTM of so many directions over an embedding, whose state two layers read: a batch-norm's
 * and an auxiliary one. */
static inline void graph_of_text(struct graph *g, long length, long directions)
{
    const struct data_shape data = {
        .kind = DATA_CHARACTERS, .length = length, .vocabulary = 4, .classes = 4};
    const struct node nodes[] = {
        {NODE_EMBEDDING, "embedding", .columns = 5, .scale = 1},
        {NODE_LSTM, "lstm", .columns = 6, .directions = directions},
        {NODE_DENSE, "aux", .columns = 4, .gain = 1},
        {NODE_DENSE, "fc1", .input = 2, .columns = 9, .no_bias = true, .gain = 6},
        {NODE_BATCH_NORM, "bn1", .activation = ACTIVATION_RELU, .epsilon = 1e-3f,
         .momentum = 0.01f},
        {NODE_DENSE, "main", .columns = 4, .gain = 1},
        {.kind = NODE_SOFTMAX_LOSS, .input = 3, .share = 0.2f},
        {.kind = NODE_SOFTMAX_LOSS, .input = 6},
    };

    fill_graph(g, &data, nodes, sizeof nodes / sizeof *nodes);
}

/* One-hot characters into an LSTM. */
static inline void graph_of_characters(struct graph *g, long length)
{
    const struct data_shape data = {
        .kind = DATA_CHARACTERS, .length = length, .vocabulary = 7, .classes = 7};
    static const struct node nodes[] = {
        {.kind = NODE_ONE_HOT},
        {NODE_LSTM, "lstm", .columns = 6, .directions = 1},
        {NODE_DENSE, "fc", .columns = 7, .gain = 1},
        {.kind = NODE_SOFTMAX_LOSS},
    };

    fill_graph(g, &data, nodes, sizeof nodes / sizeof *nodes);
}

/* An LSTM over an embedding, which a layer shares or which adds positions. */
static inline void graph_of_a_shared_text(struct graph *g, bool shared)
{
    static const struct data_shape data = {
        .kind = DATA_CHARACTERS, .length = 4, .vocabulary = 5, .classes = 5};
    const struct node nodes[] = {
        {NODE_EMBEDDING, "embedding", .columns = 6, .scale = 1, .positions = shared ? 0 : 4},
        {NODE_LSTM, "lstm", .columns = 6, .directions = 1},
        {NODE_DENSE, "fc", .columns = 5, .tied = shared ? 1 : 0, .no_bias = true, .gain = 1},
        {.kind = NODE_SOFTMAX_LOSS},
    };

    fill_graph(g, &data, nodes, sizeof nodes / sizeof *nodes);
}

/* The mean of embeddings, and a logit. */
static inline void graph_of_means(struct graph *g, long length, long vocabulary)
{
    const struct data_shape data = {
        .kind = DATA_REVIEWS, .length = length, .vocabulary = vocabulary, .classes = 2};
    static const struct node nodes[] = {
        {NODE_EMBEDDING, "embedding", .columns = 5, .scale = 1},
        {.kind = NODE_MEAN},
        {NODE_DENSE, "fc", .columns = 1, .gain = 1},
        {.kind = NODE_SIGMOID_LOSS},
    };

    fill_graph(g, &data, nodes, sizeof nodes / sizeof *nodes);
}

/* A table with more columns than rows, which is a layer's weight too: threads share its columns.
 */
static inline void graph_of_a_wide_table(struct graph *g)
{
    static const struct data_shape data = {
        .kind = DATA_CHARACTERS, .length = 4, .vocabulary = 7, .classes = 7};
    static const struct node nodes[] = {
        {NODE_EMBEDDING, "embedding", .columns = 33, .scale = 1},
        {.kind = NODE_MEAN},
        {NODE_DENSE, "fc", .columns = 7, .tied = 1, .no_bias = true},
        {.kind = NODE_SOFTMAX_LOSS},
    };

    fill_graph(g, &data, nodes, sizeof nodes / sizeof *nodes);
}

/* Layer norm, attention, GELU, values that are added, and a weight that is used twice. */
static inline void graph_of_a_transformer(struct graph *g, long length)
{
    recipe_fill(recipe_find("gpt2_tiny"), length, g);
}

static inline bool same_weights(struct net *a, struct net *b)
{
    const struct parameters *left = net_parameters(a, NULL), *right = net_parameters(b, NULL);

    for (int i = 0; i < left->count; i++)
        if (memcmp(left->list[i].value, right->list[i].value,
                   left->list[i].count * sizeof(float)) != 0)
            return false;
    return true;
}
