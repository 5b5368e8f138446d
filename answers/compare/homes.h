/* What types cost in the regions where runs were measured: a row of a comparison is priced there,
 * unless the question names regions. Few types are measured, so each is looked up by itself. */
#pragma once

#include "db/prices/offers.h"
#include "db/standings/standings.h"

/* What one type costs in one region. */
struct home;

struct homes {
    struct home **list; /* owned: by region and instance */
    size_t count;
};

/* Adds what is missing for these standings, at the moment of the question; types that were
 * measured in the question's first region are in its offers already. *ret_homes holds all of
 * `known` besides. */
MUST_USE bool homes_complete(struct db *db, const struct offers_question *question,
                             const struct standings *standings, const struct homes *known,
                             struct homes *ret_homes, struct error *err);

/* Puts a completed list in the place of the one that it was completed from. */
void homes_take(struct homes *homes, struct homes *completed);

void homes_free(struct homes *homes); /* a zeroed one is fine */

/* Where a row of the contender is priced: its region, or NULL for the question's regions. */
const char *home_region(const struct offers_question *question,
                        const struct contender *contender);

/* NULL where no price of the type is known there. */
const struct offer *homes_find(const struct homes *homes, const char *region,
                               const struct contender *contender);
