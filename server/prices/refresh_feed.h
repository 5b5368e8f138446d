/* Refreshes one feed: finds its scopes, reads each, checks its prices and stores them. A scope
 * that fails does not affect the others. */
#pragma once

#include "db/db.h"
#include "pricing/feeds/fetch.h"
#include "pricing/machine/identity.h"
#include "server/prices/feeds.h"

struct feed_visit {
    struct db *db;
    const struct feed *feed;
    const struct identity *identity; /* this machine: its region and type are the defaults */
    struct fetcher *fetcher;
    const char *price_regions; /* of any provider, with commas: read besides */
    const char *key;           /* of Google's catalog, or "" */
    const char *metadata_url;  /* the service that gives the instance's role, or NULL */
    unsigned seed;
    bool believe;                                    /* whatever it says */
    bool (*wait)(void *user, long long nanoseconds); /* false: the server stops */
    void (*progress)(void *user, const char *scope, size_t done, size_t total);
    void *user;
};

struct feed_result {
    size_t scopes, failed;
    size_t doubted; /* of failed: readings that are held back */
    bool changed;
    char idle[160]; /* the setting that is missing, which is no failure; else "" */
};

/* Whether a feed that stands in for one that needs a key is wanted: on a machine of its provider,
 * where one of `price_regions` is of it, or runs of it are here. */
bool feed_stands_in(struct db *db, const struct feed *feed, const struct identity *identity,
                    const char *price_regions);

/* Whether a feed that chooses its regions by itself would read one now that it never has. */
bool feed_has_new_regions(struct db *db, const struct feed *feed, const struct identity *identity,
                          const char *price_regions);

/* Never fails as a whole: an error becomes the state of its scope, and a line of the log. */
void refresh_feed(const struct feed_visit *visit, struct feed_result *ret_result);
