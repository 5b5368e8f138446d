/* The article's LSTM that writes on, character by character: one-hot, 128 cells, the next one. */
#include "engine/train/networks/recipe.h"

#define LSTM_LENGTH 40

static void lstm2017_fill(struct graph *g, long length)
{
    const struct data_shape data = {
        .kind = DATA_CHARACTERS, .length = LSTM_LENGTH, .vocabulary = 57, .classes = 57};
    int x;

    (void)length;
    graph_start(g, &data);
    x = graph_add(g, (struct node){.kind = NODE_ONE_HOT});
    x = graph_add(
        g, (struct node){
               .kind = NODE_LSTM, .name = "lstm", .input = x, .columns = 128, .directions = 1});
    x = graph_add(
        g, (struct node){.kind = NODE_DENSE, .name = "fc", .input = x, .columns = 57, .gain = 1});
    graph_add(g, (struct node){.kind = NODE_SOFTMAX_LOSS, .input = x});
}

const struct recipe recipe_lstm2017 = {
    .name = "lstm2017",
    .fill = lstm2017_fill,
    .batch = 128,
    .length = LSTM_LENGTH,
    .optimizer = {.kind = OPTIMIZER_RMSPROP, .lr = 1e-2, .rho = 0.9, .eps = 1e-8}};
