/* The order of rows, and the ranks that each of them may have. */
#pragma once

#include "answers/compare/ranking.h"

void comparison_rank(const struct comparison_parts *parts, struct ranking *ranking);
