/* A comparison as CSV, for spreadsheets. */
#pragma once

#include "answers/compare/ranking.h"
#include "common/bytes.h"

#include <stdbool.h>

/* One line a row, the same columns always. False at the limit of the text. */
MUST_USE bool present_comparison_csv(struct bytes *text,
                                     const struct comparison_question *question,
                                     const struct ranking *ranking);
