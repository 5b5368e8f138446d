/* The rows that are shown, once on demand and once on spot. */
#pragma once

#include "answers/compare/ranking.h"

void comparison_look_at_sides(const struct comparison_parts *parts, struct ranking *ranking);

/* A row that is shown, by its place in ranking->rows, on demand or on spot. */
const struct row_side *comparison_side(const struct ranking *ranking, size_t row,
                                       enum price_choice choice);
