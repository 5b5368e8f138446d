/* The networks of the recipes, against the figures that are known of them. */
#include "engine/train/networks/recipes.h"

#include "tests/test.h"

static const struct {
    const char *name;
    long batch;
    long long parameters, multiply_adds;
} known[] = {
    {"mlp2017", 128, 669706, 668672},           {"cnn2017", 128, 1199882, 11992448},
    {"cifar2017", 32, 1250858, 20741120},       {"fasttext2017", 32, 60000051, 50},
    {"fasttext2017_unigrams", 32, 1000051, 50}, {"bilstm2017", 32, 2659457, 9830528},
    {"lstm2017", 128, 103097, 3796096},         {"textgen2017", 128, 457406, 8983936},
    {"gpt2", 4, 124439808, 7981547520},
};

TEST(each_recipe_has_the_parameters_and_multiply_adds_of_its_network)
{
    for (size_t i = 0; i < COUNT(known); i++) {
        const struct recipe *recipe = recipe_find(known[i].name);
        struct graph graph;

        EXPECT(recipe);
        recipe_fill(recipe, 0, &graph);
        EXPECT_INT(recipe->batch, known[i].batch);
        EXPECT_INT(graph_parameters(&graph), known[i].parameters);
        EXPECT_INT(graph_multiply_adds(&graph), known[i].multiply_adds);
    }
}

TEST(the_way_back_takes_twice_the_way_forward_but_for_what_reads_the_data)
{
    struct graph graph;

    recipe_fill(recipe_find("mlp2017"), 0, &graph);
    EXPECT_INT(graph_backward_multiply_adds(&graph), 2 * 668672 - 784 * 512);
    recipe_fill(recipe_find("lstm2017"), 0, &graph);
    EXPECT_INT(graph_backward_multiply_adds(&graph), 2 * 3796096 - 40 * 512 * 57);
    recipe_fill(recipe_find("bilstm2017"), 0, &graph);
    EXPECT_INT(graph_backward_multiply_adds(&graph), 2 * 9830528);
}

TEST(every_recipe_is_found_by_its_name_and_no_other)
{
    int count = 0;

    for (const struct recipe *recipe; (recipe = recipe_at(count)); count++)
        EXPECT(recipe_find(recipe->name) == recipe);
    EXPECT_INT(count, 10);
    EXPECT(!recipe_find("mlp"));
    EXPECT(!recipe_find(""));
}

static const struct graph_parameter *parameter(const struct graph *graph, const char *name)
{
    for (int i = 0; i < graph->parameter_count; i++)
        if (strcmp(graph->parameters[i].name, name) == 0)
            return &graph->parameters[i];
    return NULL;
}

TEST(parameters_have_pytorchs_names_and_shapes)
{
    static struct graph graph;
    const struct graph_parameter *found;

    recipe_fill(recipe_find("gpt2"), 0, &graph);
    EXPECT_INT(graph.parameter_count, 148);
    found = parameter(&graph, "transformer.h.11.attn.c_attn.weight");
    EXPECT(found && found->rows == 2304 && found->columns == 768);
    found = parameter(&graph, "transformer.wpe.weight");
    EXPECT(found && found->rows == 1024 && found->columns == 768);
    EXPECT(!parameter(&graph, "logits.weight")); /* it is the embedding's */
    recipe_fill(recipe_find("bilstm2017"), 0, &graph);
    found = parameter(&graph, "lstm.bias_ih_l0_reverse");
    EXPECT(found && found->rows == 0 && found->columns == 256);
    EXPECT_INT(found->shift_begin, 64); /* the forget gate */
    EXPECT_INT(found->shift_end, 128);
}
