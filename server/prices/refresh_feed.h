/* Refreshes one feed: finds its scopes, reads each, checks its prices and stores them. A scope
 * that fails does not affect the others. */
#pragma once

#include "db/db.h"
#include "pricing/feeds/fetch.h"
#include "pricing/feeds/plausible.h"
#include "pricing/machine/identity.h"
#include "server/prices/feeds.h"

#define RETRY_SECONDS 900                   /* after a failure */
#define CONFIRM_SECONDS (2 * DOUBT_SECONDS) /* after a reading that is held back */

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
    size_t waiting; /* scopes that were read and have prices which wait for another reading */
    bool changed;
    char idle[160]; /* the setting that is missing, which is no failure; else "" */
};

/* Never fails as a whole: an error becomes the state of its scope, and a line of the log. */
void refresh_feed(const struct feed_visit *visit, struct feed_result *ret_result);

/* Seconds until the feed is read again: what its interval says, or sooner after a failure, and
 * when another reading could confirm one that is held back. */
long long refresh_feed_again(const struct feed_result *result, long long every_seconds);
