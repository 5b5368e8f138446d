/* A price at a moment, from the history of its series or a cached part of it. */
#pragma once

#include "common/clock.h"
#include "db/db.h"
#include "pricing/freshness.h"

#include <stddef.h>
#include <string.h>

struct price_at {
    /* nanos 0: no price; why_not may say why. source_us and fetched_us are of the last reading
     * before the moment that had it, if any. */
    struct price price;
    long long series, since_us; /* since when it is valid */
    double low, high;  /* dollars: range of spot in the window; 0: not spot, or unknown */
    char why_not[120]; /* "no feed has ...", "expired: ..." */
    /* Only of an offer: */
    bool third_party;
    enum freshness freshness; /* expired only if published with a figure */
    /* Only of a listed price: the time of that reading, from the feed or else of the request (0
     * if none); and whether a later reading contradicts it and waits for confirmation. */
    long long said_us;
    bool doubted;
};

/* It belongs to published figures, whatever its age. */
static inline bool price_at_is_published(const struct price_at *at)
{
    return strcmp(at->price.feed, PUBLISHED_FEED) == 0;
}

struct price_moment {
    long long series, at_us;
    long long window_us; /* before the moment; 0: no spread wanted */
};

#define SPREAD_US (7 * US_PER_DAY) /* window of the spot spread */

/* Fills in number, text, times and spread from the history of the price. */
MUST_USE bool price_at(struct db *db, const struct price_moment *moment, struct price_at *ret_at,
                       struct error *err);

/* One change of a price; nanos 0: no price from then on. */
struct course_entry {
    long long since_us, nanos;
    char text[16];
};

/* How a price moved, the newest change first: answers any time between these two. */
struct course {
    long long from_us, to_us;
    struct course_entry *entries; /* owned; NULL: no history */
    size_t count;
};

/* Like price_at(), from a course that covers the moment; without upfront payment and reading
 * times. */
void course_at(const struct course *course, const struct price_moment *moment,
               struct price_at *ret_at);
