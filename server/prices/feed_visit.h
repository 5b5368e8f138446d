/* Inputs and callbacks of one refresh of one feed. */
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
    const char *price_regions; /* additional, of any provider, with commas */
    const char *key;           /* of Google's catalog, or "" */
    const char *metadata_url;  /* the metadata service, for the instance's role; or NULL */
    unsigned seed;
    bool accept;                                     /* without confirmation */
    bool (*wait)(void *user, long long nanoseconds); /* false: the server stops */
    void (*progress)(void *user, const char *scope, size_t done, size_t total);
    void *user;
};
