/* Refreshes one feed: finds its scopes, reads each, checks its prices and stores them. A scope
 * that fails does not affect the others. */
#pragma once

#include "pricing/feeds/plausible.h"
#include "server/prices/feed_visit.h"

#include <stdbool.h>
#include <stddef.h>

#define RETRY_SECONDS 900                   /* after a failure */
#define CONFIRM_SECONDS (2 * DOUBT_SECONDS) /* after a reading that is held back */

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
