/* How old an answer may be. */
#include "pricing/freshness.h"

#include "tests/test.h"

#define HOUR 3600000000LL
#define DAY (24 * HOUR)

static void spot_prices_age_by_the_hour(void)
{
    EXPECT_INT(freshness_of(PRICE_SPOT, 0, 0), PRICE_FRESH);
    EXPECT_INT(freshness_of(PRICE_SPOT, HOUR, 0), PRICE_FRESH);
    EXPECT_INT(freshness_of(PRICE_SPOT, HOUR + 1, 0), PRICE_STALE);
    EXPECT_INT(freshness_of(PRICE_SPOT, DAY, 0), PRICE_STALE);
    EXPECT_INT(freshness_of(PRICE_SPOT, DAY + 1, 0), PRICE_EXPIRED);
    EXPECT_INT(freshness_of(PRICE_SPOT, -HOUR, 0), PRICE_FRESH); /* a clock that went back */
}

static void lists_age_by_the_week(void)
{
    EXPECT_INT(freshness_of(PRICE_ON_DEMAND, 7 * DAY, 0), PRICE_FRESH);
    EXPECT_INT(freshness_of(PRICE_ON_DEMAND, 7 * DAY + 1, 0), PRICE_STALE);
    EXPECT_INT(freshness_of(PRICE_ON_DEMAND, 30 * DAY, 0), PRICE_STALE);
    EXPECT_INT(freshness_of(PRICE_ON_DEMAND, 30 * DAY + 1, 0), PRICE_EXPIRED);
}

static void an_entered_price_does_not_age(void)
{
    EXPECT_INT(freshness_of(PRICE_TYPED, 100000 * DAY, 0), PRICE_FRESH);
    EXPECT_INT(freshness_of(PRICE_OWN, 100000 * DAY, 0), PRICE_FRESH);
}

static void a_feed_whose_time_stands_still_says_nothing(void)
{
    EXPECT(!feed_is_frozen(true, 10 * DAY, 11 * DAY, 0));
    EXPECT(feed_is_frozen(true, 10 * DAY, 11 * DAY + 1, 0));
    EXPECT(!feed_is_frozen(false, 10 * DAY, 999 * DAY, 0)); /* lists stand still for weeks */
    EXPECT(!feed_is_frozen(true, 0, 999 * DAY, 0));         /* it does not say */
    EXPECT(!feed_is_frozen(true, 10 * DAY, 9 * DAY, 0));
}

static void what_is_published_once_a_week_is_fresh_for_a_week(void)
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

static void every_freshness_has_a_name(void)
{
    EXPECT_STR(freshness_names[PRICE_FRESH], "fresh");
    EXPECT_STR(freshness_names[PRICE_STALE], "stale");
    EXPECT_STR(freshness_names[PRICE_EXPIRED], "expired");
    EXPECT(freshness_names[PRICE_EXPIRED + 1] == NULL);
}

static void a_price_in_doubt_is_stale_at_most(void)
{
    EXPECT_INT(freshness_of_doubted(PRICE_SPOT, 0, 0), PRICE_STALE);
    EXPECT_INT(freshness_of_doubted(PRICE_ON_DEMAND, 0, 0), PRICE_STALE);
    EXPECT_INT(freshness_of_doubted(PRICE_SPOT, 2 * 3600000000LL, 0), PRICE_STALE);
    EXPECT_INT(freshness_of_doubted(PRICE_SPOT, 25 * 3600000000LL, 0), PRICE_EXPIRED);
}

int main(void)
{
    RUN(a_price_in_doubt_is_stale_at_most);
    RUN(spot_prices_age_by_the_hour);
    RUN(lists_age_by_the_week);
    RUN(an_entered_price_does_not_age);
    RUN(a_feed_whose_time_stands_still_says_nothing);
    RUN(what_is_published_once_a_week_is_fresh_for_a_week);
    RUN(every_freshness_has_a_name);
    return test_result();
}
