/* Default regions of a comparison. */
#pragma once

#include "answers/compare/question.h"
#include "db/db.h"

/* This machine's region, then the list of --price-regions (`wanted`, with commas), then the
 * default region of each cloud. All except the first are skipped if they have no price. Does
 * nothing if the question names regions. The texts live in the question. */
MUST_USE bool comparison_default_regions(struct db *db, const char *wanted,
                                         struct comparison_question *question, struct error *err);
