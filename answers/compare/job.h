/* What a million samples and the job of the question cost on the machine of a row. */
#pragma once

#include "answers/compare/ranking.h"

/* Fills the cost and the job from the row's speed and price. */
void comparison_job(const struct comparison_question *question, struct comparison_row *row);
