/* Why rows have no price, in full: what is known of their types in other regions, zones, kinds
 * and currencies, and which parameter asks for it; and regions and zones that no price is of. */
#pragma once

#include "answers/compare/comparison.h"
#include "db/db.h"
#include "pricing/machine/identity.h"

/* Completes `why_not` and `why_no_rank` of the rows that are shown, and of their sides. */
MUST_USE bool comparison_look_elsewhere(struct db *db, const struct comparison_question *question,
                                        struct ranking *ranking, struct error *err);

/* Adds the regions that were asked for and the zone that no price is of. */
MUST_USE bool unmatched_places(struct db *db, const struct offers_question *where,
                               struct unmatched list[UNMATCHED_MAX], size_t *count,
                               struct error *err);
