/* The decision as one sentence. Tested by tests/answers/compare/decide_test.c. */
#pragma once

#include "answers/compare/ranking.h"

/* Sets ranking->decision from its answer, nearest and published rows. */
void comparison_explain(const struct comparison_question *question, struct ranking *ranking);
