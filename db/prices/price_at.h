/* A price at a moment: from the history of its series, or from what is known of that. */
#pragma once

#include "db/db.h"
#include "pricing/freshness.h"

#include <stddef.h>
#include <string.h>

struct price_at {
    /* nanos 0: there is none, and why_not may say why. source_us and fetched_us are of the last
     * reading before the moment that said so, where there was one. */
    struct price price;
    long long series, since_us; /* since when it holds */
    double low, high;  /* dollars: spot in the time asked about; 0: not spot, or not known */
    char why_not[120]; /* "no feed has ...", "expired: ..." */
    /* Of an offer alone: */
    bool third_party;
    enum freshness freshness; /* expired only where it was published with a figure */
    /* Of a listed price alone: when that reading said so, as its feed tells or else when it was
     * asked (0 where none did); and whether a later one says otherwise and waits for another. */
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
    long long window_us; /* before the moment; 0: no spread is asked for */
};

#define SPREAD_US (7 * 24 * 3600 * 1000000LL) /* over which the spread of spot is */

/* Fills of the price what its history knows: its number, text and times, and the spread. */
MUST_USE bool price_at(struct db *db, const struct price_moment *moment, struct price_at *ret_at,
                       struct error *err);

/* One change of a price; nanos 0: there is none from then on. */
struct course_entry {
    long long since_us, nanos;
    char text[16];
};

/* How a price moved, the newest change first: it answers about every time between these two. */
struct course {
    long long from_us, to_us;
    struct course_entry *entries; /* owned; NULL: nothing is known */
    size_t count;
};

/* The same by a course that covers the moment; it does not know what is paid at once, nor when
 * a feed spoke. */
void course_at(const struct course *course, const struct price_moment *moment,
               struct price_at *ret_at);
