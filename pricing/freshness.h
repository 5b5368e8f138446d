/* How old an answer may be. Spot prices move by the hour, lists by the week. */
#pragma once

#include "pricing/price.h"

enum freshness {
    PRICE_FRESH,
    PRICE_STALE,   /* shown and used, with its age */
    PRICE_EXPIRED, /* shown, and not used */
};

extern const char *const freshness_names[]; /* "fresh", "stale", "expired"; NULL-terminated */

/* `age_us`: since the source last said so. What a person typed does not age. */
enum freshness freshness_of(enum price_kind kind, long long age_us);

/* Of a price that a newer reading says otherwise of: it is not fresh, however young. */
enum freshness freshness_of_doubted(enum price_kind kind, long long age_us);

/* A feed of spot prices whose own time stands still for a day answers, and says nothing. */
bool feed_is_frozen(bool has_spot, long long source_us, long long now_us);
