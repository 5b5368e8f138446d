/* What an hour of every type costs in some regions at a moment: all kinds, chosen among the feeds
 * that say so, ready to be put beside standings. Loaded once for many questions. */
#pragma once

#include "db/db.h"
#include "db/prices/offer.h"

struct offer_store; /* db/prices/offer_store.h */

/* Every type with a price in one of the regions, or typed or published anywhere. `store`, unless
 * NULL, is used for what was read when revision_read_prices() said `prices`, too: the same
 * moment, or the same minute where that is now. */
MUST_USE bool offers_load(struct db *db, const struct offers_question *question,
                          struct offer_store *store, long long prices, struct offers *ret_offers,
                          struct error *err);

/* One type in one region. */
struct offers_place {
    const char *region, *instance;
};

/* The same for each of many places, one list each: the caller frees all of them, whatever this
 * returned. Regions and instance of the question are not looked at. */
MUST_USE bool offers_load_places(struct db *db, const struct offers_question *question,
                                 const struct offers_place *places, size_t count,
                                 struct offers *lists, struct error *err);

/* NULL when there is none. With provider "" the only offer of that instance, if it is the only.
 */
const struct offer *offers_find(const struct offers *offers, const char *provider,
                                const char *instance);

void offers_free(struct offers *offers);
