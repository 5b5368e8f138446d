/* Orders rows and computes the interval of each rank. */
#pragma once

#include "answers/compare/ranking.h"

void comparison_rank(const struct comparison_parts *parts, struct ranking *ranking);
