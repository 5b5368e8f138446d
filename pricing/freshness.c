#include "pricing/freshness.h"

#include "common/clock.h"
#include "common/order.h"

#define PACES_OF_LIFE 3

const char *const freshness_names[] = {"fresh", "stale", "expired", NULL};

enum freshness freshness_of(enum price_kind kind, long long age_us, long long pace_us)
{
    long long fresh_us = most_of(kind == PRICE_SPOT ? US_PER_HOUR : 7 * US_PER_DAY, pace_us);
    long long stale_us =
        most_of(kind == PRICE_SPOT ? US_PER_DAY : 30 * US_PER_DAY, PACES_OF_LIFE * pace_us);

    if (kind == PRICE_TYPED || kind == PRICE_OWN || age_us <= fresh_us)
        return PRICE_FRESH;
    return age_us <= stale_us ? PRICE_STALE : PRICE_EXPIRED;
}

enum freshness freshness_of_doubted(enum price_kind kind, long long age_us, long long pace_us)
{
    enum freshness freshness = freshness_of(kind, age_us, pace_us);

    return freshness == PRICE_FRESH ? PRICE_STALE : freshness;
}

bool feed_is_frozen(bool has_spot, long long source_us, long long now_us, long long pace_us)
{
    return has_spot && source_us > 0 &&
           freshness_of(PRICE_SPOT, now_us - source_us, pace_us) == PRICE_EXPIRED;
}
