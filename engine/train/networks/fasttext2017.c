/* The article's fastText: the mean of the embeddings of 400 words or bigrams, and one logit. */
#include "engine/train/networks/recipe.h"

#define FASTTEXT_LENGTH 400

static void fasttext2017_describe(struct graph *g, long vocabulary)
{
    const struct data_shape data = {
        .kind = DATA_REVIEWS, .length = FASTTEXT_LENGTH, .vocabulary = vocabulary, .classes = 2};
    int x;

    graph_start(g, &data);
    x = graph_add(
        g, (struct node){.kind = NODE_EMBEDDING, .name = "embedding", .columns = 50, .scale = 1});
    x = graph_add(g, (struct node){.kind = NODE_MEAN, .input = x});
    x = graph_add(g, (struct node){.kind = NODE_DENSE,
                                   .name = "fc",
                                   .input = x,
                                   .columns = 1,
                                   .gain = 1,
                                   .bias_shift = 1});
    graph_add(g, (struct node){.kind = NODE_SIGMOID_LOSS, .input = x});
}

static void fasttext2017_fill(struct graph *g, long length)
{
    (void)length;
    fasttext2017_describe(g, 1200000);
}

static void fill_unigrams(struct graph *g, long length)
{
    (void)length;
    fasttext2017_describe(g, 20000);
}

/* clang-format off */
#define ADAM                                                                                     \
    {                                                                                            \
        .kind = OPTIMIZER_ADAM, .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8            \
    }
/* clang-format on */

const struct recipe recipe_fasttext2017 = {.name = "fasttext2017",
                                           .fill = fasttext2017_fill,
                                           .batch = 32,
                                           .length = FASTTEXT_LENGTH,
                                           .optimizer = ADAM};

const struct recipe recipe_fasttext2017_unigrams = {.name = "fasttext2017_unigrams",
                                                    .fill = fill_unigrams,
                                                    .batch = 32,
                                                    .length = FASTTEXT_LENGTH,
                                                    .optimizer = ADAM};
