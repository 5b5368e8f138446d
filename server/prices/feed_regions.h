/* Which regions of a feed are read: those of the settings, of this machine, and of runs; and what
 * becomes of those that are not read any more. */
#pragma once

#include "server/prices/feed_visit.h"

/* Whether a feed that stands in for one that needs a key is wanted: on a machine of its provider,
 * where one of `price_regions` is of it, or runs of it are here. */
bool feed_stands_in(struct db *db, const struct feed *feed, const struct identity *identity,
                    const char *price_regions);

/* Whether a feed that chooses its regions by itself would read one now that it never has. */
bool feed_has_new_regions(struct db *db, const struct feed *feed, const struct identity *identity,
                          const char *price_regions);

/* Adds a region by name, once. */
void feed_regions_add(struct scopes *scopes, const char *name);

/* The regions of a feed that cannot list them. */
void feed_regions_name(const struct feed_visit *visit, struct scopes *scopes);

/* Whether a region that the feed lists is read. */
bool feed_region_is_wanted(const struct feed_visit *visit, const struct scope *scope);

/* Forgets the state of regions that are not asked for any more, and says of those that are, and
 * that the feed does not list, that they are lost: an old "ok" would not be true of either. */
void feed_regions_settle(const struct feed_visit *visit, const struct scopes *found);

/* The regions of the settings that the feed does not list; "" for none. */
void feed_regions_unknown(const struct feed_visit *visit, const struct scopes *scopes,
                          char ret_unknown[100]);
