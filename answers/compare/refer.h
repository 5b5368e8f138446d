/* Rows against the reference of the question, and the rows that no other row betters. */
#pragma once

#include "answers/compare/ranking.h"

/* Fills the ratios of each row. ERROR_INVALID where the reference has no row. */
bool comparison_refer(const struct comparison_question *question, struct ranking *ranking,
                      struct error *err) __attribute__((warn_unused_result));

/* Marks the rows of which no other is both faster and cheaper. */
void comparison_mark_front(struct ranking *ranking);
