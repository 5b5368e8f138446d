/* The article's bidirectional LSTM on reviews of 100 words. */
#include "engine/train/networks/recipe.h"

#define BILSTM_LENGTH 100

static void bilstm2017_fill(struct graph *g, long length)
{
    const struct data_shape data = {
        .kind = DATA_REVIEWS, .length = BILSTM_LENGTH, .vocabulary = 20000, .classes = 2};
    int x;

    (void)length;
    graph_start(g, &data);
    x = graph_add(
        g,
        (struct node){.kind = NODE_EMBEDDING, .name = "embedding", .columns = 128, .scale = 1});
    x = graph_add(
        g, (struct node){
               .kind = NODE_LSTM, .name = "lstm", .input = x, .columns = 64, .directions = 2});
    x = graph_add(
        g, (struct node){.kind = NODE_DROPOUT, .name = "dropout1", .input = x, .keep_out = 0.5});
    x = graph_add(g, (struct node){.kind = NODE_DENSE,
                                   .name = "fc",
                                   .input = x,
                                   .columns = 1,
                                   .gain = 1,
                                   .bias_shift = 1});
    graph_add(g, (struct node){.kind = NODE_SIGMOID_LOSS, .input = x});
}

const struct recipe recipe_bilstm2017 = {
    .name = "bilstm2017",
    .fill = bilstm2017_fill,
    .batch = 32,
    .length = BILSTM_LENGTH,
    .optimizer = {.kind = OPTIMIZER_ADAM, .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8}};
