/* One refresh of one feed: the feed, this machine, and whom it tells. */
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
    bool accept;                                     /* whatever it says */
    bool (*wait)(void *user, long long nanoseconds); /* false: the server stops */
    void (*progress)(void *user, const char *scope, size_t done, size_t total);
    void *user;
};
