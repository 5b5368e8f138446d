#include "tests/db/prices.h"

TEST_WITH_DATABASE(history_is_the_latest_first)
{
    static const char *const texts[] = {"3", "", "2", "1"};
    struct price_filter filter = {.instance_type = "m5.large"};

    READ(db, 0, FOUR, P("m5.large", "1"));
    READ(db, 60, FOUR, P("m5.large", "2"));
    READ(db, 120, P("a", "2"), P("b", "1"), P("c", "1"), P("d", "1"));
    READ(db, 180, P("a", "2"), P("b", "1"), P("c", "1"), P("d", "1"), P("m5.large", "3"));
    struct views views = history_of(db, filter);
    EXPECT_INT((long long)views.count, 4);
    for (size_t i = 0; i < COUNT(texts); i++) {
        EXPECT_HAS(views.list[i], (price.text, texts[i]), (price.instance_type, "m5.large"),
                   (since_us, THEN_US + (180 - 60 * (long long)i) * SECOND_US));
        EXPECT_INT(views.list[i].price.nanos > 0, *texts[i] != 0);
    }
    filter.at_us = THEN_US + 60 * SECOND_US; /* nothing of what came later */
    views = history_of(db, filter);
    EXPECT_HAS(views, (count, 2), (list[0].price.text, "2"));
    filter.limit = 1;
    EXPECT_INT((long long)history_of(db, filter).count, 1);
    filter.region = "eu-west-1";
    EXPECT_INT((long long)history_of(db, filter).count, 0);
    EXPECT_INT((long long)history_of(db, (struct price_filter){.region = "eu-north-1"}).count, 0);
}

/* Five prices of one type that differ in one thing each; none may stand for another. */
static const struct said five[] = {
    P("m5.large", "1"),
    P("m5.large", "2", .kind = PRICE_SPOT),
    P("m5.large", "3", .kind = PRICE_SPOT, .zone = "eu-north-1a"),
    P("m5.large", "4", .currency = "SEK"),
    P("m5.large", "5", .region = "eu-west-1"),
};
static const struct source other_source = {.name = "other"};

TEST_WITH_DATABASE(kinds_zones_currencies_and_feeds_never_mix)
{
    const struct said eight = P("m5.large", "8");
    struct feed_reading reading = {
        .at_us = THEN_US, .prices = five, .count = COUNT(five), .accept = true};

    replaced(db, &reading);
    EXPECT_INT((long long)READ_OF(db, &other_source, 60, P("m5.large", "6")).added, 1);
    /* The other feed moves; another scope of it says the same price and loses it again. */
    reading = (struct feed_reading){.source = &other_source,
                                    .scope = "elsewhere",
                                    .at_us = THEN_US + 120 * SECOND_US,
                                    .prices = &eight,
                                    .count = 1};
    EXPECT_INT((long long)replaced(db, &reading).before, 0);
    struct views views = list_of(db, (struct price_filter){.at_us = THEN_US + 60 * SECOND_US});
    EXPECT_INT((long long)views.count, 6);
    for (size_t i = 0; i < views.count; i++)
        EXPECT_INT(views.list[i].price.nanos, ((long long)i + 1) * 1000000000);
    EXPECT_HAS(views, (list[5].price.feed, "other"), (list[3].price.currency, "SEK"),
               (list[2].price.kind, PRICE_SPOT), (list[2].price.zone, "eu-north-1a"));
    EXPECT_INT(rows_of_history(db), 7);
    /* Spot that is gone is not filled from on demand, nor the other way round. */
    reading =
        (struct feed_reading){.at_us = THEN_US + 180 * SECOND_US, .prices = five, .count = 1};
    struct change change;
    EXPECT(!replace_with(db, &reading, &change, NULL)); /* four of five at once are too many */
    EXPECT_INT((long long)list_of(db, (struct price_filter){.at_us = NOON_US * 2}).count, 7);
}

TEST_WITH_DATABASE(a_filter_leaves_only_what_it_says)
{
    const struct said seven = P("m5.xlarge", "7");
    static const struct {
        struct price_filter filter;
        const char *texts;
    } cases[] = {
        {{.provider = "aws"}, "1234567"},
        {{.provider = "gcp"}, ""},
        {{.instance_type = "m5.large"}, "123456"},
        {{.instance_type = "m5"}, ""},
        {{.instance_type = "m5.xlarge"}, "7"},
        {{.kind = "spot"}, "23"},
        {{.kind = "typed"}, ""},
        {{.zone = ""}, "124567"},
        {{.zone = "eu-north-1a"}, "3"},
        {{.region = "eu-west-1"}, "5"},
        {{.region = "eu-north-1", .kind = "on_demand", .feed = "made-up"}, "14"},
        {{.feed = "other"}, "67"},
        {{.feed = "other", .instance_type = "m5.large"}, "6"},
        {{.feed = "other", .instance_type = "m5.large", .region = "eu-west-1"}, ""},
    };
    struct feed_reading reading = {
        .at_us = THEN_US, .prices = five, .count = COUNT(five), .accept = true};

    replaced(db, &reading);
    READ_OF(db, &other_source, 0, P("m5.large", "6"));
    reading = (struct feed_reading){
        .source = &other_source, .scope = "xl", .at_us = THEN_US, .prices = &seven, .count = 1};
    replaced(db, &reading);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct price_filter filter = cases[i].filter;
        char texts[VIEWS_MAX + 1] = "";

        filter.at_us = THEN_US;
        struct views views = list_of(db, filter);
        for (size_t j = 0; j < views.count; j++)
            texts[j] = views.list[j].price.text[0];
        EXPECT_STR(texts, cases[i].texts);
    }
}

TEST_WITH_DATABASE(pages_follow_each_other_by_series)
{
    static char names[25][8];
    struct said said[25];
    struct feed_reading reading = {.at_us = THEN_US, .prices = said, .count = 25};
    struct price_filter filter = {.at_us = THEN_US + 60 * SECOND_US, .limit = 7};
    size_t seen = 0;
    struct views views;

    for (size_t i = 0; i < 25; i++) {
        snprintf(names[i], sizeof names[i], "t%zu", 24 - i);
        said[i] = (struct said){.type = names[i], .text = "1"};
    }
    replaced(db, &reading);
    said[7].text = NULL; /* what is gone takes no place on a page */
    reading.at_us = filter.at_us;
    replaced(db, &reading);
    do {
        views = list_of(db, filter);
        EXPECT_INT((long long)views.count, seen < 21 ? 7 : 3);
        for (size_t i = 0; i < views.count; i++, seen++) {
            EXPECT(views.list[i].series > filter.after);
            EXPECT_STR(views.list[i].price.instance_type, names[seen < 7 ? seen : seen + 1]);
            filter.after = views.list[i].series;
        }
    } while (views.count == 7);
    EXPECT_INT((long long)seen, 24);
    /* The same within one type. */
    filter = (struct price_filter){.at_us = THEN_US, .instance_type = "t3"};
    filter.after = list_of(db, filter).list[0].series;
    EXPECT_INT((long long)list_of(db, filter).count, 0);
}

TEST_WITH_DATABASE(a_price_says_when_it_was_last_confirmed)
{
    static const struct {
        long long seconds, confirmed, source;
    } moments[] = {{0, 0, 7},    {59, 0, 7},    {60, 60, 8},
                   {119, 60, 8}, {120, 120, 0}, {999, 120, 0}};
    const struct said said = P("m5.large", "1", .source_us = NOON_US);
    struct feed_reading reading = {.at_us = THEN_US, .source_us = 7, .prices = &said, .count = 1};
    struct views views;

    replaced(db, &reading);
    reading.at_us += 60 * SECOND_US;
    reading.source_us = 8;
    replaced(db, &reading);
    /* A feed that says that nothing changed confirms too; one that failed does not; and what
     * another scope says is about its own. */
    struct feed_row row = row_of_reading(&reading);
    row.state = "unchanged";
    row.confirmed_us = THEN_US + 120 * SECOND_US;
    row.source_us = 0;
    EXPECT(feed_rows_store(db, &row, NULL));
    row.state = "failed";
    row.checked_us = row.confirmed_us = THEN_US + 180 * SECOND_US;
    EXPECT(feed_rows_store(db, &row, NULL));
    reading.at_us = THEN_US + 200 * SECOND_US;
    reading.scope = "elsewhere";
    reading.count = 0;
    replaced(db, &reading);
    for (size_t i = 0; i < COUNT(moments); i++) {
        views =
            list_of(db, (struct price_filter){.at_us = THEN_US + moments[i].seconds * SECOND_US});
        EXPECT_INT((long long)views.count, 1);
        long long asked_us = THEN_US + moments[i].confirmed * SECOND_US;
        EXPECT_INT(views.list[0].price.fetched_us, asked_us);
        EXPECT_INT(views.list[0].said_us, moments[i].source ? moments[i].source : asked_us);
    }
    /* It was valid earlier, as the source says, but no reading had confirmed it then. */
    views = list_of(db, (struct price_filter){.at_us = NOON_US});
    EXPECT_HAS(views, (count, 1), (list[0].said_us, 0));
}
