/* Explains missing prices: names the regions, zones, kinds and currencies in which a type has a
 * price, and the parameter to ask for them. Also finds regions and zones without any price. */
#pragma once

#include "answers/compare/comparison.h"
#include "db/db.h"
#include "pricing/machine/identity.h"

/* Completes `why_not` and `why_no_rank` of the shown rows and their sides. */
MUST_USE bool comparison_look_elsewhere(struct db *db, const struct comparison_question *question,
                                        struct ranking *ranking, struct error *err);

/* Adds the regions and the zone of the question that have no price. */
MUST_USE bool unmatched_places(struct db *db, const struct offers_question *where,
                               struct unmatched list[UNMATCHED_MAX], size_t *count,
                               struct error *err);
