/* GPT-2 of 124M parameters, and a tiny one of the same kind.
 * Tested by tests/engine/train/networks/recipes_test.c. */
#include "engine/train/networks/recipe.h"

#include <math.h>
#include <stdio.h>

struct size {
    unsigned char blocks;
    long heads, channels, vocabulary, positions;
};

#define SCALE (0.02 * sqrt(3))
#define BIAS 0.01
#define EPSILON 1e-5f

/* "transformer.h.3." and `part`. Blocks of three digits at most: a name of theirs fits. */
static void name_part(struct node *node, unsigned char block, const char *part)
{
    snprintf(node->name, sizeof node->name, "transformer.h.%d.%s", block, part);
}

static int add_block(struct graph *g, const struct size *size, unsigned char block, int x)
{
    double last = SCALE / sqrt(2.0 * size->blocks);
    struct node first_norm = {.kind = NODE_LAYER_NORM, .epsilon = EPSILON};
    struct node second_norm = first_norm;
    struct node qkv = {
        .kind = NODE_DENSE, .columns = 3 * size->channels, .scale = SCALE, .bias_scale = BIAS};
    struct node attention = {.kind = NODE_ATTENTION, .heads = size->heads};
    struct node attended = {
        .kind = NODE_DENSE, .columns = size->channels, .scale = last, .bias_scale = BIAS};
    struct node wide = {.kind = NODE_DENSE,
                        .columns = 4 * size->channels,
                        .scale = SCALE,
                        .bias_scale = BIAS,
                        .activation = ACTIVATION_GELU};
    struct node narrow = attended;

    name_part(&first_norm, block, "ln_1");
    name_part(&qkv, block, "attn.c_attn");
    name_part(&attention, block, "attn");
    name_part(&attended, block, "attn.c_proj");
    name_part(&second_norm, block, "ln_2");
    name_part(&wide, block, "mlp.c_fc");
    name_part(&narrow, block, "mlp.c_proj");
    first_norm.input = x;
    qkv.input = graph_add(g, first_norm);
    attention.input = graph_add(g, qkv);
    attended.input = graph_add(g, attention);
    attended.adds = x;
    x = graph_add(g, attended);
    second_norm.input = x;
    wide.input = graph_add(g, second_norm);
    narrow.input = graph_add(g, wide);
    narrow.adds = x;
    return graph_add(g, narrow);
}

static void gpt2_describe(struct graph *g, const struct size *size, long length)
{
    const struct data_shape data = {.kind = DATA_STREAM,
                                    .length = length,
                                    .vocabulary = size->vocabulary,
                                    .classes = size->vocabulary};
    int embedding, x;

    graph_start(g, &data);
    embedding = x = graph_add(g, (struct node){.kind = NODE_EMBEDDING,
                                               .name = "transformer",
                                               .columns = size->channels,
                                               .scale = SCALE,
                                               .positions = size->positions});
    for (unsigned char block = 0; block < size->blocks; block++)
        x = add_block(g, size, block, x);
    x = graph_add(g, (struct node){.kind = NODE_LAYER_NORM,
                                   .name = "transformer.ln_f",
                                   .input = x,
                                   .epsilon = EPSILON});
    x = graph_add(g, (struct node){.kind = NODE_DENSE,
                                   .name = "logits",
                                   .input = x,
                                   .columns = size->vocabulary,
                                   .tied = embedding,
                                   .no_bias = true});
    graph_add(g, (struct node){.kind = NODE_SOFTMAX_LOSS, .input = x});
}

static const struct size small = {12, 12, 768, 50257, 1024}, tiny = {2, 2, 64, 256, 64};

static void gpt2_fill(struct graph *g, long length)
{
    gpt2_describe(g, &small, length);
}

static void fill_tiny(struct graph *g, long length)
{
    gpt2_describe(g, &tiny, length);
}

/* llm.c's constants. */
const struct recipe recipe_gpt2 = {
    .name = "gpt2",
    .fill = gpt2_fill,
    .batch = 4,
    .length = 64,
    .length_max = 1024,
    .optimizer = {
        .kind = OPTIMIZER_ADAMW, .lr = 1e-4, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8}};

const struct recipe recipe_gpt2_tiny = {
    .name = "gpt2_tiny",
    .fill = fill_tiny,
    .batch = 4,
    .length = 32,
    .length_max = 64,
    .optimizer = {
        .kind = OPTIMIZER_ADAMW, .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8}};
