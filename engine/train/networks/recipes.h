/* Every recipe there is. */
#pragma once

#include "engine/train/networks/recipe.h"

/* NULL when there is none of that name. */
const struct recipe *recipe_find(const char *name);

/* Every recipe; NULL behind the last. */
const struct recipe *recipe_at(int index);

/* The graph of the recipe's own length, or of `length` if that is not 0. */
void recipe_fill(const struct recipe *recipe, long length, struct graph *graph);
