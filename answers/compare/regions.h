/* The regions that a comparison asks for where its question names none. */
#pragma once

#include "answers/compare/question.h"
#include "db/db.h"

/* This machine's region, then those of the option --price-regions (`wanted`, with commas), then
 * where each cloud began; of all but the first only those that some price is of. Nothing where
 * the question named regions. What is pointed into lives in the question. */
MUST_USE bool comparison_default_regions(struct db *db, const char *wanted,
                                         struct comparison_question *question, struct error *err);
