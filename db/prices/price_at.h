/* What a series of prices was at a moment, from its history, or from what is known of that. */
#pragma once

#include "db/db.h"

#include <stddef.h>

/* What a series was at a moment, and its spread in a time before. */
struct held {
    bool known; /* false: there was no price */
    long long nanos, upfront_nanos, since_us, source_us, fetched_us;
    char text[40];
    double low, high, mean; /* dollars, weighted by time; what is without a price is left out */
};

struct held_question {
    long long series, at_us;
    long long window_us; /* before the moment; 0: no spread is asked for */
};

#define SPREAD_US (7 * 24 * 3600 * 1000000LL) /* over which the spread of spot is */

MUST_USE bool price_at(struct db *db, const struct held_question *question, struct held *ret_held,
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

/* What a course says of a moment that it covers. */
void course_at(const struct course *course, const struct held_question *question,
               struct held *ret_held);
