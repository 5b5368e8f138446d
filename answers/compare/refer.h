/* Compares rows with the question's reference, and finds the rows that no other row beats. */
#pragma once

#include "answers/compare/ranking.h"

/* Fills the ratios of each row. ERROR_INVALID if the reference has no row. */
MUST_USE bool comparison_refer(const struct comparison_question *question,
                               struct ranking *ranking, struct error *err);

/* Marks each row that no other row beats in both speed and price. */
void comparison_mark_front(struct ranking *ranking);
