/* Fills the sides of the shown rows: one on demand, one on spot. */
#pragma once

#include "answers/compare/ranking.h"

void comparison_look_at_sides(const struct comparison_parts *parts, struct ranking *ranking);

/* The side of a shown row; `row` is its place in ranking->rows. */
const struct row_side *comparison_side(const struct ranking *ranking, size_t row,
                                       enum price_choice choice);
