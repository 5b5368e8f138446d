/* Refreshes one feed: finds its scopes, reads each, checks its prices and stores them. A scope
 * that fails does not affect the others. */
#pragma once

#include "pricing/feeds/plausible.h"
#include "server/prices/feed_visit.h"

#include <stdbool.h>
#include <stddef.h>

#define RETRY_SECONDS 900                   /* after a failure */
#define CONFIRM_SECONDS (2 * DOUBT_SECONDS) /* after a reading that was held back */

struct feed_result {
    size_t scopes, failed;
    size_t doubted; /* of failed: readings held back for confirmation */
    size_t waiting; /* scopes read, with prices held back for confirmation */
    bool changed;
    char idle[160]; /* the missing setting (not a failure); else "" */
};

/* Never fails as a whole: an error becomes the state of its scope, and a line of the log. */
void refresh_feed(const struct feed_visit *visit, struct feed_result *ret_result);

/* Seconds until the next reading: the interval; sooner after a failure or to confirm a reading
 * that is held back. */
long long refresh_feed_again(const struct feed_result *result, long long every_seconds);
