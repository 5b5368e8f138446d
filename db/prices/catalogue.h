/* Instance types from feeds, and how often their spot instances are interrupted. */
#pragma once

#include "db/db.h"
#include "pricing/feeds/price_batch.h"

/* Stores the types and interruptions of a reading, in the caller's transaction: updates new or
 * changed types, and replaces the interruptions of the feed. */
MUST_USE bool catalogue_put(struct db *db, const char *feed, const struct price_batch *batch,
                            struct error *err);

struct type_filter {
    const char *provider, *name; /* NULL for any */
    const char *prefix;          /* of the name: "c7i."; NULL or "" for any */
    double min_vcpus, min_memory_gib;
    const char *after; /* "name provider" of the last row of the previous page; NULL */
    long long limit;
};

/* Calls tell() for each type, by name and provider. */
MUST_USE bool catalogue_types(struct db *db, const struct type_filter *filter,
                              void (*tell)(void *user, const struct instance_type *type,
                                           const char *feed),
                              void *user, struct error *err);

/* Spot interruptions: calls tell() for each region of a type. */
MUST_USE bool catalogue_interruptions(struct db *db, const char *provider, const char *name,
                                      void (*tell)(void *user, const char *region,
                                                   const char *band),
                                      void *user, struct error *err);
