/* Filters of a comparison that match no row. */
#pragma once

#include "answers/compare/ranking.h"

/* Looks for the workload among all contenders, and for each other filter among the contenders of
 * that workload. Types, families and providers may also match a type that has a price. */
void comparison_unmatched(const struct comparison_parts *parts,
                          struct unmatched ret_list[UNMATCHED_MAX], size_t *ret_count);
