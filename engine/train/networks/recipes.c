#include "engine/train/networks/recipes.h"

#include "common/cleanup.h"

/* Every workload on a graph: `struct recipe recipe_<name>`, in <name>.c. */
#define ALL(row)                                                                                 \
    row(mlp2017) row(cnn2017) row(cifar2017) row(fasttext2017) row(fasttext2017_unigrams)        \
        row(bilstm2017) row(lstm2017) row(textgen2017) row(gpt2) row(gpt2_tiny)

#define DECLARE(name) extern const struct recipe recipe_##name;
#define LIST(name) &recipe_##name,

ALL(DECLARE)
static const struct recipe *const recipes[] = {ALL(LIST)};

const struct recipe *recipe_at(int index)
{
    return index < (int)COUNT(recipes) ? recipes[index] : NULL;
}

const struct recipe *recipe_find(const char *name)
{
    for (size_t i = 0; i < COUNT(recipes); i++)
        if (strcmp(recipes[i]->name, name) == 0)
            return recipes[i];
    return NULL;
}

void recipe_fill(const struct recipe *recipe, long length, struct graph *graph)
{
    recipe->fill(graph, length ? length : recipe->length);
}
