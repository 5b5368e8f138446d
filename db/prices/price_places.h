/* Regions, kinds and currencies in which a type has a price: for an answer without one. */
#pragma once

#include "db/db.h"
#include "pricing/price.h"

struct price_place {
    enum price_kind kind;
    char currency[4], region[REGION_SIZE], zone[REGION_SIZE];
};

/* Calls tell() for each series with a price today, by region; `provider` may be NULL for any.
 * Prices published with a figure are left out. */
MUST_USE bool price_places_each(struct db *db, const char *provider, const char *instance,
                                void (*tell)(void *user, const struct price_place *place),
                                void *user, struct error *err);

/* Whether any price is for this region, or this zone. */
MUST_USE bool price_places_has_region(struct db *db, const char *region, bool *ret_has,
                                      struct error *err);
MUST_USE bool price_places_has_zone(struct db *db, const char *zone, bool *ret_has,
                                    struct error *err);

/* Calls tell() for every region, or every zone of a region, with prices. */
MUST_USE bool price_places_regions(struct db *db, void (*tell)(void *user, const char *name),
                                   void *user, struct error *err);
MUST_USE bool price_places_zones(struct db *db, void (*tell)(void *user, const char *name),
                                 void *user, struct error *err);
