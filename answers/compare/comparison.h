/* Compares standings, each with a price: which machine trains most for a dollar, and how surely.
 */
#pragma once

#include "answers/compare/ranking.h"

/* ERROR_INVALID of "reference" where that has no row. */
MUST_USE bool comparison_make(const struct comparison_parts *parts, struct ranking *ret_ranking,
                              struct error *err);

/* A zeroed one is fine. */
void comparison_clear(struct ranking *ranking);
