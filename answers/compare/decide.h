/* The cheapest machine that meets a deadline, the fastest within a budget, and the
 * probability. */
#pragma once

#include "answers/compare/ranking.h"

/* Sets answer, nearest, published and decision. */
void comparison_decide(const struct comparison_parts *parts, struct ranking *ranking);
