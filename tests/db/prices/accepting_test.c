/* Which readings are accepted: an odd one is held back, one like it an hour later is accepted. */
#include "tests/db/prices.h"

#define HOUR 3600LL
#define TYPES 40

/* A reading of TYPES prices, so many seconds after the first. */
static struct feed_reading hourly(struct said said[TYPES], char texts[TYPES][24],
                                  const double prices[TYPES], long long seconds)
{
    static char names[TYPES][8];
    size_t count = 0;

    for (size_t i = 0; i < TYPES; i++) {
        snprintf(names[i], sizeof names[i], "t%zu", i);
        if (prices[i] <= 0)
            continue;
        snprintf(texts[count], sizeof texts[count], "%.6f", prices[i]);
        said[count] = (struct said){.type = names[i], .text = texts[count], .kind = PRICE_SPOT};
        count++;
    }
    return (struct feed_reading){
        .at_us = THEN_US + seconds * SECOND_US, .prices = said, .count = count};
}

/* Whether it was accepted. */
static bool read_prices(struct db *db, const double prices[TYPES], long long seconds)
{
    struct said said[TYPES];
    char texts[TYPES][24];
    const struct feed_reading reading = hourly(said, texts, prices, seconds);
    struct change change;
    struct error err = {0};
    bool ok = replace_with(db, &reading, &change, &err);

    EXPECT(ok || err.kind == ERROR_UPSTREAM);
    return ok;
}

static void fill(double prices[TYPES], double price)
{
    for (size_t i = 0; i < TYPES; i++)
        prices[i] = price;
}

TEST(a_first_reading_that_was_wrong_is_put_right_by_two)
{
    EACH(long long, pause, 1 * HOUR, 2 * 24 * HOUR, 60 * 24 * HOUR, 400 * 24 * HOUR) {
        NEW_DATABASE(db);
        double wrong[TYPES], right[TYPES];

        fill(wrong, 10);
        fill(right, 1);
        EXPECT(read_prices(db, wrong, 0));
        /* What has expired judges nothing: then the first one is accepted already. */
        EXPECT_INT(read_prices(db, right, pause), pause > 24 * HOUR);
        EXPECT(read_prices(db, right, pause + HOUR));
        EXPECT_STR(text_at(db, "t0", pause + HOUR), "1.000000");
    }
}

TEST_WITH_DATABASE(a_real_cut_is_accepted_when_it_is_said_again_an_hour_later)
{
    double prices[TYPES];
    struct feed_row row;

    fill(prices, 1);
    EXPECT(read_prices(db, prices, 0));
    for (size_t i = TYPES * 2 / 3; i < TYPES; i++)
        prices[i] = 0;
    EXPECT(!read_prices(db, prices, HOUR));
    EXPECT_STR(text_at(db, "t39", HOUR), "1.000000");
    EXPECT(feed_rows_find(db, "made-up", "all", &row, NULL));
    EXPECT_HAS(row, (held, 14), (doubt.until_us, THEN_US + 2 * HOUR * SECOND_US));
    EXPECT(!read_prices(db, prices, HOUR + 900)); /* too soon to be another */
    EXPECT(feed_rows_find(db, "made-up", "all", &row, NULL));
    EXPECT_INT(row.doubt.until_us, THEN_US + 2 * HOUR * SECOND_US);
    EXPECT(read_prices(db, prices, 2 * HOUR));
    EXPECT_STR(text_at(db, "t39", 2 * HOUR), "");
    EXPECT_STR(text_at(db, "t0", 2 * HOUR), "1.000000");
    EXPECT(feed_rows_find(db, "made-up", "all", &row, NULL));
    EXPECT_HAS(row, (held, 0), (doubt.until_us, 0));
    EXPECT_ROWS(db, 0, "price_series WHERE held_us NOT NULL");
}

TEST_WITH_DATABASE(two_odd_readings_that_differ_confirm_nothing)
{
    double prices[TYPES];

    fill(prices, 1);
    EXPECT(read_prices(db, prices, 0));
    fill(prices, 10);
    EXPECT(!read_prices(db, prices, HOUR));
    fill(prices, 100);
    EXPECT(!read_prices(db, prices, 3 * HOUR));
    fill(prices, 10);
    EXPECT(!read_prices(db, prices, 5 * HOUR));
    fill(prices, 1);
    EXPECT(read_prices(db, prices, 7 * HOUR));
    fill(prices, 10); /* what was said before that is forgotten */
    EXPECT(!read_prices(db, prices, 9 * HOUR));
    EXPECT_STR(text_at(db, "t0", 9 * HOUR), "1.000000");
}

TEST_WITH_DATABASE(nothing_at_all_is_never_accepted_unless_a_person_does)
{
    double none[TYPES] = {0}, prices[TYPES];
    struct feed_reading accepted = {.at_us = THEN_US + 9 * HOUR * SECOND_US, .accept = true};

    fill(prices, 1);
    EXPECT(read_prices(db, prices, 0));
    for (int hours = 1; hours < 9; hours++)
        EXPECT(!read_prices(db, none, hours * HOUR));
    EXPECT_INT((long long)replaced(db, &accepted).gone, TYPES);
    EXPECT_STR(text_at(db, "t0", 9 * HOUR), "");
}

TEST_WITH_DATABASE(a_person_may_accept_what_is_odd)
{
    static const char *const sentinels[] = {"m5.large", NULL};
    static const struct source choosy = {
        .name = "made-up", .sentinels = sentinels, .min_regions = 3};
    const struct said said[] = {P("a", "100"), P("b", "100")};
    const struct feed_reading reading = {.source = &choosy,
                                         .at_us = THEN_US + SECOND_US,
                                         .prices = said,
                                         .count = 2,
                                         .accept = true};

    READ(db, 0, FOUR, P("e", "1"));
    struct change change = replaced(db, &reading);
    EXPECT_HAS(change, (moved, 2), (gone, 3), (held, 0));
    EXPECT_STR(text_at(db, "a", 1), "100");
}

TEST_WITH_DATABASE(what_the_operator_wrote_is_never_doubted)
{
    static const struct source file = {.name = "made-up", .needs = NEEDS_FILE};
    double cents[TYPES], dollars[TYPES];
    struct said said[TYPES];
    char texts[TYPES][24];
    struct change change;

    fill(cents, 35.7);
    fill(dollars, 0.357);
    EXPECT(read_prices(db, cents, 0));
    for (size_t i = 30; i < TYPES; i++)
        dollars[i] = 0;
    struct feed_reading reading = hourly(said, texts, dollars, 1);
    reading.source = &file;
    EXPECT_INT((long long)replaced(db, &reading).held, 0);
    EXPECT_STR(text_at(db, "t0", 1), "0.357000");
    EXPECT_STR(text_at(db, "t39", 1), "");
    reading.count = 0; /* a file that is being written */
    reading.at_us += SECOND_US;
    EXPECT(!replace_with(db, &reading, &change, NULL));
    EXPECT_STR(text_at(db, "t0", 2), "0.357000");
}

TEST_WITH_DATABASE(a_zone_may_vanish_and_types_may_be_asked_for_no_more)
{
    static const struct source named = {.name = "made-up", .needs = NEEDS_TYPES};
    const struct said all[] = {P("a", "1", .zone = "z1"), P("a", "1", .zone = "z2"),
                               P("a", "1", .zone = "z3"), P("b", "1", .zone = "z1"),
                               P("b", "1", .zone = "z2"), P("b", "1", .zone = "z3"),
                               P("c", "1", .zone = "z1"), P("c", "1", .zone = "z2")};
    struct feed_reading reading = {
        .source = &named, .at_us = THEN_US, .prices = all, .count = COUNT(all), .types = "a,b,c"};
    struct change change;

    replaced(db, &reading);
    reading.at_us += SECOND_US;
    reading.count = 3; /* a's, which was not what all were asked for */
    EXPECT(!replace_with(db, &reading, &change, NULL));
    reading.types = "a";
    change = replaced(db, &reading);
    EXPECT_HAS(change, (before, 3), (gone, 5));
    reading.at_us += SECOND_US;
    reading.count = 2; /* a zone less */
    EXPECT_INT((long long)replaced(db, &reading).gone, 1);
}

TEST_WITH_DATABASE(a_price_in_doubt_is_not_fresh)
{
    struct price_filter filter = {.instance_type = "a", .at_us = THEN_US + 60 * SECOND_US};

    WEIGH(db, 0, P("a", "1"), P("b", "1"));
    WEIGH(db, 60, P("a", "10"), P("b", "1"));
    WEIGH(db, 120, P("a", "100"), P("b", "1"));
    struct views views = list_of(db, filter);
    EXPECT(views.list[0].doubted);
    EXPECT_INT(views.list[0].said_us, THEN_US); /* the last that said so */
    filter.at_us = THEN_US + 180 * SECOND_US;
    views = list_of(db, filter);
    EXPECT_HAS(views.list[0], (doubted, true), (said_us, THEN_US));
    filter.at_us = THEN_US + 59 * SECOND_US; /* it was not in doubt yet */
    views = list_of(db, filter);
    EXPECT(!views.list[0].doubted);
    filter = (struct price_filter){.instance_type = "b", .at_us = THEN_US + 180 * SECOND_US};
    views = list_of(db, filter);
    EXPECT_HAS(views.list[0], (doubted, false), (said_us, THEN_US + 120 * SECOND_US));
}

static bool read_with_validators(struct db *db, const char *text, struct feed_row *ret_row)
{
    const struct said said[] = {P("a", text, .kind = PRICE_SPOT), P("b", "1")};
    const struct feed_reading reading = {.at_us = THEN_US, .prices = said, .count = 2};
    AUTO(price_batch_freep) struct price_batch *batch = batch_of_reading(&reading);
    struct feed_row row = row_of_reading(&reading);
    struct change change;

    snprintf(row.etag, sizeof row.etag, "\"1\"");
    snprintf(row.last_modified, sizeof row.last_modified, "Tue");
    snprintf(row.mark, sizeof row.mark, "v1");
    bool ok = prices_replace(
        db, &(struct price_snapshot){.source = &plain_source, .batch = batch, .row = &row},
        &change, NULL);
    return feed_rows_find(db, "made-up", "all", ret_row, NULL) && ok;
}

TEST_WITH_DATABASE(a_reading_that_held_something_back_has_no_validators)
{
    struct feed_row row;

    EXPECT(read_with_validators(db, "1", &row));
    EXPECT_STR(row.etag, "\"1\"");
    EXPECT(read_with_validators(db, "10", &row));
    EXPECT_HAS(row, (held, 1), (etag, ""), (last_modified, ""), (mark, ""));
    EXPECT(read_with_validators(db, "10", &row));
    EXPECT_HAS(row, (held, 0), (etag, "\"1\""), (last_modified, "Tue"), (mark, "v1"));
}

static void see(void *user, const struct feed_row *row)
{
    *(struct feed_row *)user = *row;
}

TEST_WITH_DATABASE(what_is_held_back_shows_its_widest_leaps)
{
    double prices[TYPES];
    struct feed_row row;

    fill(prices, 1);
    EXPECT(read_prices(db, prices, 0));
    for (size_t i = 0; i < 10; i++)
        prices[i] = i % 2 ? 10 : 0;
    prices[11] = 0.01;
    prices[12] = 50;
    prices[7] = prices[9] = prices[2] = prices[4] = prices[6] = prices[8] = 1;
    EXPECT(!read_prices(db, prices, HOUR));
    EXPECT(feed_rows_each(db, "made-up", see, &row, NULL));
    EXPECT_HAS(row, (held, 6), (example_count, 3), (examples[0].instance_type, "t0"),
               (examples[0].waiting_nanos, 0), (examples[0].nanos, 1000000000),
               (examples[0].since_us, THEN_US + HOUR * SECOND_US),
               (examples[1].instance_type, "t11"), (examples[1].waiting_nanos, 10000000),
               (examples[2].instance_type, "t12"), (examples[2].region, "eu-north-1"),
               (examples[2].kind, PRICE_SPOT));
    /* Unchanged: what was held back is not what the feed says now. */
    row.state = "unchanged";
    row.held = 0;
    row.doubt = (struct doubt){0};
    EXPECT(feed_rows_store(db, &row, NULL));
    EXPECT(feed_rows_each(db, "made-up", see, &row, NULL));
    EXPECT_INT((long long)row.example_count, 0);
    EXPECT_ROWS(db, 0, "price_series WHERE held_nanos NOT NULL");
}
