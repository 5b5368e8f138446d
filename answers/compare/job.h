/* The cost of a million samples and of the question's job on the machine of a row. */
#pragma once

#include "answers/compare/ranking.h"

/* Fills the cost and the job from the row's speed and price. */
void comparison_job(const struct comparison_question *question, struct comparison_row *row);
