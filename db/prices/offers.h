/* Hourly prices of every type in some regions at a moment, all kinds, chosen among feeds, for
 * joining with standings. Loaded once for many questions. */
#pragma once

#include "db/db.h"
#include "db/prices/offer.h"

struct offer_store; /* db/prices/offer_store.h */

/* Loads every type with a price in one of the regions, or typed or published anywhere. `store`
 * may be NULL; cached books are used while revision_read_prices() gives `prices` and the moment
 * is the same (for now: the same minute). */
MUST_USE bool offers_load(struct db *db, const struct offers_question *question,
                          struct offer_store *store, long long prices, struct offers *ret_offers,
                          struct error *err);

/* One type in one region. */
struct offers_place {
    const char *region, *instance;
};

/* The same for many places, one list each: the caller frees all of them, also after a failure.
 * Ignores the regions and instance of the question. */
MUST_USE bool offers_load_places(struct db *db, const struct offers_question *question,
                                 const struct offers_place *places, size_t count,
                                 struct offers *lists, struct error *err);

/* NULL if there is none. With provider "", the only offer of that instance if there is just
 * one. */
const struct offer *offers_find(const struct offers *offers, const char *provider,
                                const char *instance);

void offers_free(struct offers *offers);
