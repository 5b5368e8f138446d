/* How old a price may be. Spot prices live for hours, list prices for weeks, and all longer if
 * their source publishes less often. */
#pragma once

#include "pricing/price.h"

enum freshness {
    PRICE_FRESH,
    PRICE_STALE,   /* shown and used, with its age */
    PRICE_EXPIRED, /* shown, but not used */
};

extern const char *const freshness_names[]; /* "fresh", "stale", "expired"; NULL-terminated */

/* `age_us`: time since the source last confirmed the price. `pace_us`: the source's own pace, the
 * highest age in normal operation; 0 for none. A price is fresh for that time, and expires after
 * three times of it, unless its kind lives longer. Typed prices do not age. */
enum freshness freshness_of(enum price_kind kind, long long age_us, long long pace_us);

/* For a price that a newer reading contradicts: never fresh, however young. */
enum freshness freshness_of_doubted(enum price_kind kind, long long age_us, long long pace_us);

/* True if a spot feed still answers, but its own publication time is so old that its prices
 * expired. */
bool feed_is_frozen(bool has_spot, long long source_us, long long now_us, long long pace_us);
