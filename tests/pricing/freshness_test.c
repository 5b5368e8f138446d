/* How old an answer may be. */
#include "pricing/freshness.h"

#include "tests/test.h"

#define HOUR 3600000000LL
#define DAY (24 * HOUR)

TEST(spot_prices_age_by_the_hour)
{
    EXPECT_INT(freshness_of(PRICE_SPOT, 0, 0), PRICE_FRESH);
    EXPECT_INT(freshness_of(PRICE_SPOT, HOUR, 0), PRICE_FRESH);
    EXPECT_INT(freshness_of(PRICE_SPOT, HOUR + 1, 0), PRICE_STALE);
    EXPECT_INT(freshness_of(PRICE_SPOT, DAY, 0), PRICE_STALE);
    EXPECT_INT(freshness_of(PRICE_SPOT, DAY + 1, 0), PRICE_EXPIRED);
    EXPECT_INT(freshness_of(PRICE_SPOT, -HOUR, 0), PRICE_FRESH); /* a clock that went back */
}

TEST(lists_age_by_the_week)
{
    EXPECT_INT(freshness_of(PRICE_ON_DEMAND, 7 * DAY, 0), PRICE_FRESH);
    EXPECT_INT(freshness_of(PRICE_ON_DEMAND, 7 * DAY + 1, 0), PRICE_STALE);
    EXPECT_INT(freshness_of(PRICE_ON_DEMAND, 30 * DAY, 0), PRICE_STALE);
    EXPECT_INT(freshness_of(PRICE_ON_DEMAND, 30 * DAY + 1, 0), PRICE_EXPIRED);
}

TEST(an_entered_price_does_not_age)
{
    EXPECT_INT(freshness_of(PRICE_TYPED, 100000 * DAY, 0), PRICE_FRESH);
    EXPECT_INT(freshness_of(PRICE_OWN, 100000 * DAY, 0), PRICE_FRESH);
}

TEST(a_feed_whose_time_stands_still_says_nothing)
{
    EXPECT(!feed_is_frozen(true, 10 * DAY, 11 * DAY, 0));
    EXPECT(feed_is_frozen(true, 10 * DAY, 11 * DAY + 1, 0));
    EXPECT(!feed_is_frozen(false, 10 * DAY, 999 * DAY, 0)); /* lists stand still for weeks */
    EXPECT(!feed_is_frozen(true, 0, 999 * DAY, 0));         /* it does not say */
    EXPECT(!feed_is_frozen(true, 10 * DAY, 9 * DAY, 0));
}

TEST(what_is_published_once_a_week_is_fresh_for_a_week)
{
    const long long week = 8 * DAY;

    EXPECT_INT(freshness_of(PRICE_SPOT, week, week), PRICE_FRESH);
    EXPECT_INT(freshness_of(PRICE_SPOT, week + 1, week), PRICE_STALE);
    EXPECT_INT(freshness_of(PRICE_SPOT, 3 * week, week), PRICE_STALE);
    EXPECT_INT(freshness_of(PRICE_SPOT, 3 * week + 1, week), PRICE_EXPIRED);
    EXPECT_INT(freshness_of_doubted(PRICE_SPOT, 0, week), PRICE_STALE);
    EXPECT_INT(freshness_of(PRICE_ON_DEMAND, week, week), PRICE_FRESH);
    EXPECT_INT(freshness_of(PRICE_ON_DEMAND, 30 * DAY, week), PRICE_STALE);
    EXPECT_INT(freshness_of(PRICE_ON_DEMAND, 30 * DAY + 1, week), PRICE_EXPIRED);
    EXPECT_INT(freshness_of(PRICE_TYPED, 1000 * week, week), PRICE_FRESH);
    EXPECT(!feed_is_frozen(true, DAY, DAY + 3 * week, week));
    EXPECT(feed_is_frozen(true, DAY, DAY + 3 * week + 1, week));
}

TEST(every_freshness_has_a_name)
{
    EXPECT_STR(freshness_names[PRICE_FRESH], "fresh");
    EXPECT_STR(freshness_names[PRICE_STALE], "stale");
    EXPECT_STR(freshness_names[PRICE_EXPIRED], "expired");
    EXPECT(freshness_names[PRICE_EXPIRED + 1] == NULL);
}

TEST(a_price_in_doubt_is_stale_at_most)
{
    EXPECT_INT(freshness_of_doubted(PRICE_SPOT, 0, 0), PRICE_STALE);
    EXPECT_INT(freshness_of_doubted(PRICE_ON_DEMAND, 0, 0), PRICE_STALE);
    EXPECT_INT(freshness_of_doubted(PRICE_SPOT, 2 * HOUR, 0), PRICE_STALE);
    EXPECT_INT(freshness_of_doubted(PRICE_SPOT, 25 * HOUR, 0), PRICE_EXPIRED);
}
