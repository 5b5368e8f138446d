#include "tests/db/prices.h"

TEST_WITH_DATABASE(a_first_snapshot_is_stored)
{
    const struct change change =
        READ(db, 0, P("m5.large", "0.1020000000", .zone = "eu-north-1a", .source_us = NOON_US),
             P("m5.large", "0.05", .kind = PRICE_SPOT), P("c7i.large", "0.09"));
    const struct views views =
        list_of(db, (struct price_filter){.at_us = THEN_US, .zone = "eu-north-1a"});
    const struct price *price = &views.list[0].price;
    struct feed_row row;

    EXPECT_HAS(change, (added, 3), (after, 3));
    EXPECT_INT((long long)(change.before + change.common + change.moved + change.gone), 0);
    EXPECT_INT(rows_of_history(db), 3);
    EXPECT_INT((long long)views.count, 1);
    EXPECT_HAS(*price, (provider, "aws"), (region, "eu-north-1"), (instance_type, "m5.large"),
               (zone, "eu-north-1a"), (currency, "USD"));
    EXPECT_STR(price->text, "0.1020000000"); /* as it was received */
    EXPECT_HAS(*price, (reference, "SKU"), (feed, "made-up"), (nanos, 102000000),
               (kind, PRICE_ON_DEMAND), (source_us, NOON_US), (fetched_us, THEN_US));
    EXPECT_INT(views.list[0].since_us, NOON_US); /* since when, as the source says */
    EXPECT(feed_rows_find(db, "made-up", "all", &row, NULL));
    EXPECT_HAS(row, (state, "ok"), (prices, 3));
    EXPECT_INT(number_of(db, "SELECT prices FROM readings"), 3);
}

TEST_WITH_DATABASE(the_same_again_writes_no_history)
{
    struct change change;

    READ(db, 0, P("m5.large", "0.102"), P("c7i.large", "0.09"));
    /* A source that says a later time, or writes the same number otherwise, says nothing new. */
    change =
        READ(db, 60, P("c7i.large", "0.0900", .source_us = THEN_US + 5), P("m5.large", "0.102"));
    EXPECT_INT((long long)(change.added + change.moved + change.gone + change.held), 0);
    EXPECT_INT((long long)change.common, 2);
    EXPECT_INT(rows_of_history(db), 2);
    EXPECT_ROWS(db, 2, "readings");
    EXPECT_STR(text_at(db, "c7i.large", 60), "0.09");
}

TEST_WITH_DATABASE(a_moved_price_leaves_the_old_one_at_its_time)
{
    READ(db, 0, P("m5.large", "0.102"), P("c7i.large", "0.09"));
    struct change change = READ(db, 60, P("m5.large", "0.110"), P("c7i.large", "0.09"));
    EXPECT_INT((long long)change.moved, 1);
    EXPECT_INT(rows_of_history(db), 3);
    EXPECT_STR(text_at(db, "m5.large", 59), "0.102");
    EXPECT_STR(text_at(db, "m5.large", 60), "0.110");
    EXPECT_STR(text_at(db, "c7i.large", 60), "0.09");
}

/* A source may say that a price held before it was asked, but not before what it said last. */
TEST_WITH_DATABASE(a_moved_price_never_goes_behind_the_last_one)
{
    READ(db, 0, P("m5.large", "0.10"));
    READ(db, 60, P("m5.large", "0.11", .source_us = THEN_US + 30 * SECOND_US));
    EXPECT_STR(text_at(db, "m5.large", 29), "0.10");
    EXPECT_STR(text_at(db, "m5.large", 30), "0.11");
    READ(db, 120, P("m5.large", "0.12", .source_us = THEN_US - SECOND_US));
    EXPECT_STR(text_at(db, "m5.large", 119), "0.11");
    EXPECT_STR(text_at(db, "m5.large", 120), "0.12");
    /* Nor where the clock went back, or stood still. */
    READ(db, 120, P("m5.large", "0.13"));
    READ(db, 50, P("m5.large", "0.14"));
    EXPECT_STR(text_at(db, "m5.large", 120), "0.12");
    EXPECT_STR(text_at(db, "m5.large", 121), "0.14");
    EXPECT_INT(rows_of_history(db), 5);
}

TEST_WITH_DATABASE(a_price_that_is_gone_ends_and_may_come_back)
{
    READ(db, 0, FOUR, P("m5.large", "1"));
    struct change change = READ(db, 60, FOUR);
    EXPECT_INT((long long)change.gone, 1);
    EXPECT_INT(rows_of_history(db), 6);
    EXPECT_ROWS(db, 1, "prices WHERE nanos IS NULL");
    EXPECT_STR(text_at(db, "m5.large", 59), "1");
    EXPECT_STR(text_at(db, "m5.large", 60), "");
    /* It stays gone without another row, ... */
    change = READ(db, 120, FOUR);
    EXPECT_HAS(change, (gone, 0), (before, 4));
    EXPECT_INT(rows_of_history(db), 6);
    /* ... and comes back as a new one, whatever it was before. */
    READ(db, 180, FOUR, P("m5.large", "9", .source_us = NOON_US));
    EXPECT_INT(rows_of_history(db), 7);
    EXPECT_ROWS(db, 5, "price_series");
    EXPECT_STR(text_at(db, "m5.large", 59), "1");
    EXPECT_STR(text_at(db, "m5.large", 179), "");
    EXPECT_STR(text_at(db, "m5.large", 180), "9");
}

TEST_WITH_DATABASE(a_price_that_just_began_may_be_gone_at_once)
{
    READ(db, 0, FOUR, P("m5.large", "1"));
    READ(db, 0, FOUR);
    EXPECT_STR(text_at(db, "m5.large", 0), "1");
    EXPECT_STR(text_at(db, "m5.large", 1), "");
    /* Even where the clock went back; nothing that was stored is lost. */
    READ(db, 60, FOUR, P("m5.large", "2"));
    READ(db, 30, FOUR);
    EXPECT_STR(text_at(db, "m5.large", 60), "2");
    EXPECT_STR(text_at(db, "m5.large", 61), "");
    EXPECT_INT(rows_of_history(db), 8);
}

/* A file may say what will hold later, and think better of it. */
TEST_WITH_DATABASE(a_future_price_that_is_withdrawn_was_never_valid)
{
    READ(db, 0, FOUR, P("gone", "1"), P("moved", "1"));
    READ(db, 60, FOUR, P("gone", "2", .source_us = THEN_US + 500 * SECOND_US),
         P("moved", "2", .source_us = THEN_US + 500 * SECOND_US));
    EXPECT_STR(text_at(db, "moved", 499), "1");
    EXPECT_STR(text_at(db, "moved", 500), "2");
    READ(db, 120, FOUR, P("moved", "3"));
    EXPECT_STR(text_at(db, "moved", 119), "1");
    EXPECT_STR(text_at(db, "moved", 120), "3");
    EXPECT_STR(text_at(db, "moved", 1000), "3");
    EXPECT_STR(text_at(db, "gone", 119), "1");
    EXPECT_STR(text_at(db, "gone", 120), "");
    EXPECT_STR(text_at(db, "gone", 1000), "");
}

TEST_WITH_DATABASE(an_ambiguous_price_is_no_price)
{
    READ(db, 0, FOUR, P("m5.large", "1"));
    READ(db, 60, FOUR, P("m5.large", "1"), P("m5.large", "2"));
    EXPECT_STR(text_at(db, "m5.large", 60), "");
}

TEST(a_leap_is_held_back_until_it_is_said_twice)
{
    static const char *const leaps[][3] = {
        {"1", "2.1", "2.4"}, {"1", "0.49", "0.4"}, {"1", "100", "125"}, {"1", "100", "80"}};

    for (size_t i = 0; i < COUNT(leaps); i++) {
        NEW_DATABASE(db);

        WEIGH(db, 0, P("m5.large", leaps[i][0], .kind = PRICE_SPOT));
        struct change change = WEIGH(db, 60, P("m5.large", leaps[i][1], .kind = PRICE_SPOT));
        EXPECT_HAS(change, (held, 1), (moved, 0));
        EXPECT_STR(text_at(db, "m5.large", 60), leaps[i][0]);
        EXPECT_INT(rows_of_history(db), 1);
        change = WEIGH(db, 120, P("m5.large", leaps[i][2], .kind = PRICE_SPOT));
        EXPECT_HAS(change, (held, 0), (moved, 1));
        EXPECT_STR(text_at(db, "m5.large", 119), leaps[i][0]);
        EXPECT_STR(text_at(db, "m5.large", 120), leaps[i][2]);
        EXPECT_ROWS(db, 0, "price_series WHERE held_nanos NOT NULL");
    }
}

TEST_WITH_DATABASE(a_leap_that_is_not_said_again_is_forgotten)
{
    WEIGH(db, 0, P("m5.large", "1", .kind = PRICE_SPOT));
    WEIGH(db, 60, P("m5.large", "100", .kind = PRICE_SPOT));
    WEIGH(db, 120,
          P("m5.large", "1",
            .kind = PRICE_SPOT)); /* back, so that the next leap is a first one again */
    EXPECT_INT((long long)WEIGH(db, 180, P("m5.large", "100", .kind = PRICE_SPOT)).held, 1);
    /* Another leap, more than 25 % away, is a first one too. */
    EXPECT_INT((long long)WEIGH(db, 240, P("m5.large", "126", .kind = PRICE_SPOT)).held, 1);
    EXPECT_INT((long long)WEIGH(db, 300, P("m5.large", "94", .kind = PRICE_SPOT)).held, 1);
    EXPECT_STR(text_at(db, "m5.large", 300), "1");
    /* A move that is none leaves nothing held. */
    WEIGH(db, 360, P("m5.large", "1.1", .kind = PRICE_SPOT));
    EXPECT_INT((long long)WEIGH(db, 420, P("m5.large", "94", .kind = PRICE_SPOT)).held, 1);
    EXPECT_STR(text_at(db, "m5.large", 420), "1.1");
    EXPECT_INT(rows_of_history(db), 2);
}

/* All that is accepted. */
static void beliefs(struct db *db, size_t size, char ret_text[])
{
    text_of(db,
            "SELECT group_concat(line, char(10)) FROM (SELECT json_array('s', number, nanos,"
            " since_us) AS line FROM price_series UNION ALL SELECT json_array('p', series,"
            " since_us, nanos, fetched_us) FROM prices UNION ALL SELECT json_array('r', feed,"
            " fetched_us, prices) FROM readings UNION ALL SELECT json_array('f', confirmed_us,"
            " etag, prices) FROM feed_states WHERE confirmed_us > 0)",
            size, ret_text);
}

/* Held back, for these words, with nothing changed that is accepted. */
static void expect_not_accepted(struct db *db, const struct feed_reading *reading,
                                const char *words)
{
    static char before[20000], after[20000];
    struct change change = {.before = 12345};

    beliefs(db, sizeof before, before);
    EXPECT_ERROR_SAYS(replace_with(db, reading, &change, &err), ERROR_UPSTREAM, words);
    EXPECT_INT(change.doubt.until_us, reading->at_us + DOUBT_SECONDS * SECOND_US);
    beliefs(db, sizeof after, after);
    EXPECT_STR(after, before);
}

TEST_WITH_DATABASE(a_reading_that_lost_prices_is_not_accepted)
{
    const struct said said[] = {P("a", "1"), P("b", "1"), P("c", "1.1"), P("d", "1")};
    struct feed_reading reading = {.at_us = THEN_US + SECOND_US, .prices = said, .count = 2};

    READ(db, 0, FOUR, P("e", "1"));
    expect_not_accepted(db, &reading, "it has 2 of the 5 prices that it had before");
    reading.at_us += SECOND_US;
    reading.count = 0;
    expect_not_accepted(db, &reading, "it has 0 of the 5 prices that it had before");
    reading.count = 4; /* 80 % */
    EXPECT_INT((long long)replaced(db, &reading).gone, 1);
}

TEST_WITH_DATABASE(a_reading_without_its_sentinels_is_not_accepted)
{
    static const char *const sentinels[] = {"m5.large", "c5.large", NULL};
    static const struct source source = {.name = "made-up", .sentinels = sentinels};
    const struct said said[] = {P("m5.large", "1"), P("x", "1"), P("c5.large", "1")};
    struct feed_reading reading = {
        .source = &source, .at_us = THEN_US, .prices = said, .count = 2};

    expect_not_accepted(db, &reading, "it has no price for c5.large"); /* nor a first one */
    EXPECT_INT(rows_of_history(db), 0);
    reading.count = 3;
    replaced(db, &reading);
    reading.at_us += SECOND_US;
    reading.prices++;
    reading.count = 2;
    expect_not_accepted(db, &reading, "it has no price for m5.large");
}
