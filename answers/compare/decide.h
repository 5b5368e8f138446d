/* The cheapest machine that meets a deadline, the fastest within a budget, and how probably. */
#pragma once

#include "answers/compare/ranking.h"

/* Finds the answer, the nearest row and the published one, and says the decision in words. */
void comparison_decide(const struct comparison_parts *parts, struct ranking *ranking);
