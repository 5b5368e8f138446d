/* Prices of types in the regions where their runs were measured. A row of a comparison is priced
 * there unless the question names regions. Few types are measured, so each has its own query. */
#pragma once

#include "db/prices/offers.h"
#include "db/standings/standings.h"

/* The price of one type in one region. */
struct home;

struct homes {
    struct home **list; /* owned: by region and instance */
    size_t count;
};

/* Copies `known` to *ret_homes and adds the prices that these standings lack, as of the
 * question's time. Skips types measured in the question's first region: its offers have them. */
MUST_USE bool homes_complete(struct db *db, const struct offers_question *question,
                             const struct standings *standings, const struct homes *known,
                             struct homes *ret_homes, struct error *err);

/* Replaces a list by its completed copy. */
void homes_take(struct homes *homes, struct homes *completed);

void homes_free(struct homes *homes); /* a zeroed one is fine */

/* The region in which the contender is priced, or NULL for the question's regions. */
const char *home_region(const struct offers_question *question,
                        const struct contender *contender);

/* NULL if the type has no known price there. */
const struct offer *homes_find(const struct homes *homes, const char *region,
                               const struct contender *contender);
