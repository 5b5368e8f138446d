/* How old an answer may be. Spot prices move by the hour, lists by the week; but no price is
 * older than its source lets it be, where that publishes more seldom. */
#pragma once

#include "pricing/price.h"

enum freshness {
    PRICE_FRESH,
    PRICE_STALE,   /* shown and used, with its age */
    PRICE_EXPIRED, /* shown, and not used */
};

extern const char *const freshness_names[]; /* "fresh", "stale", "expired"; NULL-terminated */

/* `age_us`: since the source last said so. `pace_us`: the oldest that this may be although all
 * goes well, since the source publishes and is read so seldom; 0 where a price has no such
 * source. A price is fresh for that time, and expires after three times of it, if its kind does
 * not let it live longer. What a person typed does not age. */
enum freshness freshness_of(enum price_kind kind, long long age_us, long long pace_us);

/* Of a price that a newer reading says otherwise of: it is not fresh, however young. */
enum freshness freshness_of_doubted(enum price_kind kind, long long age_us, long long pace_us);

/* A feed of spot prices whose own time stands still until they expire answers, and says nothing.
 */
bool feed_is_frozen(bool has_spot, long long source_us, long long now_us, long long pace_us);
