/* What was typed by mistake holds until it is withdrawn, and what held before it holds again. */
#include "db/prices/withdrawals.h"

#include "db/contenders/contenders.h"
#include "db/prices/price_book.h"
#include "tests/db/prices.h"

static struct price typed_price(const char *text, long long seconds)
{
    struct price price = price_said(&(struct said)P("our-box", text, .kind = PRICE_TYPED,
                                                    .source_us = THEN_US + seconds * SECOND_US));

    price.fetched_us = price.source_us;
    return price;
}

static void put(struct db *db, const char *text, long long seconds)
{
    const struct price price = typed_price(text, seconds);

    EXPECT_OK(prices_put(db, &price, 1, &err));
}

static struct taken_back at(long long seconds)
{
    return (struct taken_back){
        .at_us = THEN_US + seconds * SECOND_US, .by = "ann", .reason = "a typo"};
}

static struct listed_price withdraw(struct db *db, long long since, long long seconds)
{
    const struct taken_back taken = at(seconds);
    const struct price_key key = {1, THEN_US + since * SECOND_US};
    struct listed_price listed = {0};

    EXPECT_OK(prices_withdraw(db, &key, &taken, &listed, &err));
    return listed;
}

/* What a comparison takes, at a moment and as what the series is now. */
static const char *held_at(struct db *db, long long seconds)
{
    static struct price_at at;

    EXPECT(price_at(db, &(struct price_moment){1, THEN_US + seconds * SECOND_US, 0}, &at, NULL));
    return at.price.text;
}

static void expect_held(struct db *db, long long seconds, const char *text)
{
    EXPECT_STR(text_at(db, "our-box", seconds), text);
    EXPECT_STR(held_at(db, seconds), text);
}

TEST_WITH_DATABASE(a_withdrawn_price_held_until_then_and_the_one_before_holds_again)
{
    put(db, "0.25", 0);
    put(db, "25", 100); /* the point was forgotten */
    struct listed_price listed = withdraw(db, 100, 160);
    EXPECT_HAS(listed, (at.price.text, "25"), (withdrawn.at_us, THEN_US + 160 * SECOND_US),
               (withdrawn.by, "ann"), (withdrawn.reason, "a typo"));
    expect_held(db, 99, "0.25");
    expect_held(db, 100, "25");
    expect_held(db, 159, "25"); /* an answer about that moment stays what it was */
    expect_held(db, 160, "0.25");
    EXPECT_INT(number_of(db, "SELECT nanos FROM price_series"), 250000000);
    /* Who reads the series must look back for a moment before the withdrawal. */
    EXPECT_INT(number_of(db, "SELECT since_us FROM price_series"), THEN_US + 160 * SECOND_US);
}

TEST_WITH_DATABASE(the_only_price_leaves_none)
{
    put(db, "25", 0);
    withdraw(db, 0, 60);
    expect_held(db, 59, "25");
    expect_held(db, 60, "");
    EXPECT_INT(number_of(db, "SELECT nanos IS NULL FROM price_series"), 1);
}

TEST_WITH_DATABASE(a_price_that_was_to_hold_later_never_does)
{
    put(db, "1", 0);
    put(db, "2", 1000);
    withdraw(db, 1000, 60);
    expect_held(db, 999, "1");
    expect_held(db, 1000, "1");
    expect_held(db, 5000, "1");
}

TEST_WITH_DATABASE(the_right_price_may_be_typed_for_the_same_moment)
{
    const struct price right = typed_price("0.25", 0), again = typed_price("0.26", 0);

    put(db, "25", 0);
    withdraw(db, 0, 60);
    EXPECT_OK(prices_put(db, &right, 1, &err));
    expect_held(db, 30, "0.25"); /* a price about a time gone by is one about that time */
    expect_held(db, 60, "0.25");
    EXPECT_INT(number_of(db, "SELECT nanos FROM price_series"), 250000000);
    EXPECT_FAILS(prices_put(db, &again, 1, &err), (kind, ERROR_CONFLICT), (field, "valid_from"));
    /* The key now means the one that holds. */
    struct listed_price listed = withdraw(db, 0, 90);
    EXPECT_STR(listed.at.price.text, "0.25");
    expect_held(db, 90, "");
}

/* At moment 30 both prices of moment 0 are on record, and only the right one ever held. */
TEST_WITH_DATABASE(a_price_that_was_replaced_for_all_its_time_is_in_no_spread)
{
    const struct price_moment moment = {1, THEN_US + 30 * SECOND_US, 3600 * SECOND_US};
    struct price_at at;

    put(db, "25", 0);
    withdraw(db, 0, 60);
    put(db, "0.25", 0);
    EXPECT(price_at(db, &moment, &at, NULL));
    EXPECT_ABOUT(at, 1e-12, (low, 0.25), (high, 0.25));
}

TEST_WITH_DATABASE(the_history_keeps_what_was_withdrawn)
{
    put(db, "1", 0);
    put(db, "2", 10);
    withdraw(db, 10, 20);
    struct views views = history_of(db, (struct price_filter){.instance_type = "our-box"});
    EXPECT_HAS(views, (count, 2), (list[0].price.text, "2"),
               (withdrawn[0].at_us, THEN_US + 20 * SECOND_US), (withdrawn[1].at_us, 0));
}

TEST_WITH_DATABASE(once_is_enough)
{
    long long revision;

    put(db, "1", 0);
    EXPECT(revision_read_prices(db, &revision, NULL));
    withdraw(db, 0, 60);
    EXPECT(number_of(db, "SELECT prices FROM revision") > revision); /* offers are loaded again */
    revision = number_of(db, "SELECT number FROM revision");
    EXPECT_INT(withdraw(db, 0, 90).withdrawn.at_us, THEN_US + 60 * SECOND_US);
    EXPECT_INT(number_of(db, "SELECT number FROM revision"), revision);
}

TEST_WITH_DATABASE(what_a_feed_says_is_not_withdrawn)
{
    const struct taken_back taken = at(60);
    struct price price = typed_price("1", 0);
    struct listed_price listed;

    READ(db, 0, P("m5.large", "0.1"));
    EXPECT_ERROR_MESSAGE(
        prices_withdraw(db, &(struct price_key){1, THEN_US}, &taken, &listed, &err),
        ERROR_CONFLICT,
        "the feed made-up would report the price again: type a price, which takes "
        "precedence, or switch the feed off");
    snprintf(price.feed, sizeof price.feed, "published");
    EXPECT(prices_put(db, &price, 1, NULL));
    EXPECT_ERROR_SAYS(prices_withdraw(db, &(struct price_key){2, THEN_US}, &taken, &listed, &err),
                      ERROR_CONFLICT, "published with a figure");
    EXPECT_ERROR(prices_withdraw(db, &(struct price_key){1, THEN_US + 1}, &taken, &listed, &err),
                 ERROR_NOT_FOUND);
    EXPECT_STR(text_at(db, "m5.large", 60), "0.1");
}

static void tell(void *user, const struct discount *discount)
{
    add_text(user, 100, "%g%s ", discount->factor, discount->withdrawn.at_us ? "!" : "");
}

static const char *discounts_at(struct db *db, long long seconds)
{
    static char text[100];

    text[0] = '\0';
    EXPECT(discounts_each(db, THEN_US + seconds * SECOND_US, tell, text, NULL));
    return text;
}

static long long put_discount(struct db *db, double factor, long long seconds)
{
    const struct discount discount = {
        .provider = "aws", .factor = factor, .since_us = THEN_US + seconds * SECOND_US};
    long long number = 0;

    EXPECT_OK(discounts_put(db, &discount, &number, &err));
    return number;
}

TEST_WITH_DATABASE(a_discount_is_withdrawn_in_the_same_way)
{
    const struct taken_back taken = at(160), later = at(170);
    struct discount discount = {0};
    char all[100] = "";

    put_discount(db, 0.8, 0);
    long long wrong = put_discount(db, 0.08, 100);
    EXPECT_OK(discounts_withdraw(db, wrong, &taken, &discount, &err));
    EXPECT_HAS(discount, (factor, 0.08), (withdrawn.reason, "a typo"));
    EXPECT_STR(discounts_at(db, 99), "0.8 ");
    EXPECT_STR(discounts_at(db, 159), "0.08! ");
    EXPECT_STR(discounts_at(db, 160), "0.8 ");
    EXPECT(discounts_withdraw(db, wrong, &later, &discount, NULL));
    EXPECT_INT(discount.withdrawn.at_us, taken.at_us);
    put_discount(db, 0.9, 100);
    EXPECT_STR(discounts_at(db, 160), "0.9 ");
    EXPECT(discounts_history(db, THEN_US + 500 * SECOND_US, tell, all, NULL));
    EXPECT_STR(all, "0.9 0.08! 0.8 ");
    EXPECT_ERROR(discounts_withdraw(db, 77, &taken, &discount, &err), ERROR_NOT_FOUND);
}
