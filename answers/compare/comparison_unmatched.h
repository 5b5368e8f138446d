/* Filters of a comparison that match no row. */
#pragma once

#include "answers/compare/ranking.h"

/* Looks for the workload among all contenders, for each other filter among the contenders of the
 * workload, and for names of types, families and providers also among the types that have a
 * price. */
void comparison_unmatched(const struct comparison_parts *parts,
                          struct unmatched ret_list[UNMATCHED_MAX], size_t *ret_count);
