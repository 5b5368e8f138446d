/* One feed, refreshed: its scopes found, each read, believed or not, and stored. One scope that
 * fails disturbs no other. */
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
    const char *key;          /* of Google's catalog, or "" */
    const char *metadata_url; /* where an instance's role is asked for, or NULL */
    unsigned seed;
    bool (*wait)(void *user, long long nanoseconds); /* false: the server stops */
    void (*progress)(void *user, const char *scope, size_t done, size_t total);
    void *user;
};

struct feed_result {
    size_t scopes, failed;
    bool changed;
    char idle[160]; /* what it lacks to be asked at all: no failure; "" */
};

/* Never fails as a whole: what goes wrong is stored as the state of a scope, and logged. */
void refresh_feed(const struct feed_visit *visit, struct feed_result *ret_result);
