/* A comparison as Markdown, for people. */
#pragma once

#include "answers/compare/ranking.h"
#include "common/bytes.h"

#include <stdbool.h>

/* A short table with as many digits as the intervals allow, and the decision in words. */
MUST_USE bool present_comparison_markdown(struct bytes *text,
                                          const struct comparison_question *question,
                                          const struct ranking *ranking);
