/* Ranks standings by price: which machine trains most for a dollar, and how certain that is. */
#pragma once

#include "answers/compare/ranking.h"

/* ERROR_INVALID, field "reference", if the reference has no row. */
MUST_USE bool comparison_make(const struct comparison_parts *parts, struct ranking *ret_ranking,
                              struct error *err);

/* Accepts a zeroed ranking. */
void comparison_clear(struct ranking *ranking);
