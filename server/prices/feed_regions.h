/* Chooses the regions of a feed to read, from the settings, this machine and its runs; and cleans
 * up after regions that are no longer read. */
#pragma once

#include "server/prices/feed_visit.h"

/* Whether to read a feed that replaces one that needs a key: if this machine, a run, or one of
 * `price_regions` is of its provider. */
bool feed_stands_in(struct db *db, const struct feed *feed, const struct identity *identity,
                    const char *price_regions);

/* Whether a feed with automatic regions would now read a new one. */
bool feed_has_new_regions(struct db *db, const struct feed *feed, const struct identity *identity,
                          const char *price_regions);

/* Adds a region by name, once. */
void feed_regions_add(struct scopes *scopes, const char *name);

/* The regions of a feed that cannot list them. */
void feed_regions_name(const struct feed_visit *visit, struct scopes *scopes);

/* Whether a region that the feed lists is read. */
bool feed_region_is_wanted(const struct feed_visit *visit, const struct scope *scope);

/* Deletes the state of regions that are no longer requested, and marks requested ones that the
 * feed does not list as lost: their old "ok" is no longer true. */
void feed_regions_settle(const struct feed_visit *visit, const struct scopes *found);

/* Lists the configured regions that the feed does not have; "" for none. */
void feed_regions_unknown(const struct feed_visit *visit, const struct scopes *scopes,
                          char ret_unknown[100]);
