/* Prices that a person types. */
#include "tests/db/prices.h"

static struct price manual_price(const char *type, const char *text, long long seconds)
{
    struct price price = price_said(&(struct said)P(type, text, .kind = PRICE_TYPED,
                                                    .source_us = THEN_US + seconds * SECOND_US));

    price.fetched_us = THEN_US + 5000 * SECOND_US;
    return price;
}

static void put(struct db *db, const char *type, const char *text, long long seconds)
{
    const struct price price = manual_price(type, text, seconds);

    EXPECT_OK(prices_put(db, &price, 1, &err));
}

static void expect_refused(struct db *db, const struct price *prices, size_t count,
                           enum error_kind kind)
{
    static char before[8000], after[8000];

    everything(db, sizeof before, before);
    EXPECT_ERROR(prices_put(db, prices, count, &err), kind);
    everything(db, sizeof after, after);
    EXPECT_STR(after, before);
}

TEST_WITH_DATABASE(a_typed_price_holds_from_its_moment_on)
{
    put(db, "our-box", "0.250", 0);
    struct views views = list_of(db, (struct price_filter){.at_us = THEN_US});
    EXPECT_HAS(
        views, (count, 1), (list[0].price.kind, PRICE_TYPED), (list[0].price.feed, "typed"),
        (list[0].price.text, "0.250"), (list[0].price.nanos, 250000000),
        (list[0].price.fetched_us, THEN_US + 5000 * SECOND_US), (list[0].since_us, THEN_US));
    EXPECT_INT(views.list[0].said_us, 0); /* no feed confirms it */
    EXPECT_STR(text_at(db, "our-box", -1), "");
    put(db, "our-box", "100", 60); /* a person may leap */
    EXPECT_STR(text_at(db, "our-box", 59), "0.250");
    EXPECT_STR(text_at(db, "our-box", 60), "100");
    EXPECT_ROWS(db, 1, "price_series");
}

TEST_WITH_DATABASE(a_second_one_for_the_same_moment_is_refused)
{
    struct price price = manual_price("our-box", "2", 0);

    put(db, "our-box", "1", 0);
    expect_refused(db, &price, 1, ERROR_CONFLICT);
    price = manual_price("our-box", "1", 0); /* even if it says the same */
    expect_refused(db, &price, 1, ERROR_CONFLICT);
    price.nanos = 0;
    expect_refused(db, &price, 1, ERROR_CONFLICT);
    /* Another kind, currency, zone, region, provider or type is another price. */
    price = manual_price("our-box", "2", 0);
    price.kind = PRICE_OWN;
    EXPECT(prices_put(db, &price, 1, NULL));
    snprintf(price.currency, sizeof price.currency, "EUR");
    EXPECT(prices_put(db, &price, 1, NULL));
    snprintf(price.zone, sizeof price.zone, "z");
    EXPECT(prices_put(db, &price, 1, NULL));
    price.region[0] = '\0';
    EXPECT(prices_put(db, &price, 1, NULL));
    snprintf(price.provider, sizeof price.provider, "us");
    EXPECT(prices_put(db, &price, 1, NULL));
    snprintf(price.instance_type, sizeof price.instance_type, "their-box");
    EXPECT(prices_put(db, &price, 1, NULL));
    EXPECT_INT((long long)list_of(db, (struct price_filter){.at_us = THEN_US}).count, 7);
}

TEST_WITH_DATABASE(a_withdrawn_price_is_none)
{
    struct price price = manual_price("our-box", "2", 60);

    price.nanos = 0;
    expect_refused(db, &price, 1, ERROR_NOT_FOUND); /* there was none */
    put(db, "our-box", "1", 0);
    EXPECT(prices_put(db, &price, 1, NULL));
    EXPECT_STR(text_at(db, "our-box", 59), "1");
    EXPECT_INT((long long)list_of(db, (struct price_filter){.at_us = price.source_us}).count, 0);
    EXPECT_ROWS(db, 1, "price_series WHERE nanos IS NULL");
    EXPECT_ROWS(db, 1, "prices WHERE nanos IS NULL AND text = ''");
    put(db, "our-box", "3", 120); /* and may come back */
    EXPECT_STR(text_at(db, "our-box", 119), "");
    EXPECT_STR(text_at(db, "our-box", 120), "3");
    EXPECT_INT((long long)history_of(db, (struct price_filter){.instance_type = "our-box"}).count,
               3);
}

TEST_WITH_DATABASE(one_about_a_time_gone_by_does_not_change_todays)
{
    struct price price = manual_price("our-box", "1", 30);

    put(db, "our-box", "9", 100);
    put(db, "our-box", "1", 0);
    price.nanos = 0;
    EXPECT(prices_put(db, &price, 1, NULL));
    EXPECT_STR(text_at(db, "our-box", -1), "");
    EXPECT_STR(text_at(db, "our-box", 29), "1");
    EXPECT_STR(text_at(db, "our-box", 30), "");
    EXPECT_STR(text_at(db, "our-box", 100), "9");
    EXPECT_INT(number_of(db, "SELECT nanos FROM price_series"), 9000000000);
    EXPECT_INT(number_of(db, "SELECT since_us FROM price_series"), THEN_US + 100 * SECOND_US);
}

TEST_WITH_DATABASE(a_list_is_stored_whole_or_not_at_all)
{
    struct price prices[] = {manual_price("a", "1", 0), manual_price("b", "2", 0),
                             manual_price("a", "3", 0)};

    put(db, "a", "1", 60);
    expect_refused(db, prices, 3, ERROR_CONFLICT); /* the list is at odds with itself */
    prices[2] = manual_price("c", "3", 0);
    prices[2].nanos = 0;
    expect_refused(db, prices, 3, ERROR_NOT_FOUND);
    prices[2] = manual_price("a", "3", 60);
    expect_refused(db, prices, 3, ERROR_CONFLICT);
    prices[2] = manual_price("b", "3", 60);
    EXPECT(prices_put(db, prices, 3, NULL));
    EXPECT_STR(text_at(db, "a", 59), "1");
    EXPECT_STR(text_at(db, "b", 59), "2");
    EXPECT_STR(text_at(db, "b", 60), "3");
    EXPECT(prices_put(db, prices, 0, NULL));
}

TEST_WITH_DATABASE(entered_prices_and_prices_of_feeds_never_mix)
{
    READ(db, 0, P("m5.large", "1"));
    put(db, "m5.large", "2", 60);
    READ(db, 120, P("m5.large", "1.5"));
    struct views views = list_of(db, (struct price_filter){.at_us = THEN_US + 120 * SECOND_US});
    EXPECT_HAS(views, (count, 2), (list[0].price.text, "1.5"), (list[1].price.text, "2"),
               (list[0].price.fetched_us, THEN_US + 120 * SECOND_US), (list[1].said_us, 0));
}
