/* The decision as one sentence. Tested by tests/answers/compare/decide_test.c. */
#pragma once

#include "answers/compare/ranking.h"

/* From the answer, the nearest and the published row of the ranking. */
void comparison_explain(const struct comparison_question *question, struct ranking *ranking);
