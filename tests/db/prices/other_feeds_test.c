/* What other feeds know of the types of a reading: accepting by it is tested in guards_test.c. */
#include "db/prices/other_feeds.h"

#include "tests/db/prices.h"

#define DAY 86400LL

static const struct source other = {.name = "other"};
static const struct source spot_page = {.name = "aws-spot-page", .has_spot = true};
static const struct source file = {.name = "price-file", .needs = NEEDS_FILE};

#define SAY(db, source, ...) READ_OF(db, source, 0, __VA_ARGS__)

/* What others know of a type in eu-north-1, for a reading of these regions. */
static long long known(struct db *db, const char *type, enum price_kind kind, long long seconds,
                       const char *second_region)
{
    const struct said said[] = {P("any", "1"), P("any", "1", .region = second_region)};
    const struct feed_reading reading = {
        .at_us = THEN_US + seconds * SECOND_US, .prices = said, .count = second_region ? 2 : 1};
    AUTO(price_batch_freep) struct price_batch *batch = batch_of_reading(&reading);
    AUTO(other_feeds_free) struct other_feeds others = {0};
    const struct feed_row row = row_of_reading(&reading);
    const struct said like = P(type, "1");
    const struct price price = price_said(&like);

    EXPECT(other_feeds_load(db, &row, batch, &others, NULL));
    return other_feeds_find(&others, &price, kind);
}

TEST_WITH_DATABASE(other_feeds_are_asked_and_neither_this_one_nor_people)
{
    SAY(db, &plain_source, P("own", "1"));
    SAY(db, &file, P("filed", "2"));
    SAY(db, &other, P("a", "3"), P("a", "1", .kind = PRICE_SPOT),
        P("krona", "9", .currency = "SEK"), P("zoned", "9", .zone = "z"),
        P("far", "4", .region = "eu-west-1"));
    for (int both = 0; both < 2; both++) { /* also of a reading of two regions */
        const char *second = both ? "eu-west-1" : NULL;

        EXPECT_INT(known(db, "a", PRICE_ON_DEMAND, 0, second), 3000000000);
        EXPECT_INT(known(db, "a", PRICE_SPOT, 0, second), 1000000000);
        EXPECT_INT(known(db, "own", PRICE_ON_DEMAND, 0, second), 0);
        EXPECT_INT(known(db, "filed", PRICE_ON_DEMAND, 0, second), 0);
        EXPECT_INT(known(db, "krona", PRICE_ON_DEMAND, 0, second), 0);
        EXPECT_INT(known(db, "zoned", PRICE_ON_DEMAND, 0, second), 0);
        EXPECT_INT(known(db, "far", PRICE_ON_DEMAND, 0, second), 0);
        EXPECT_INT(known(db, "unknown", PRICE_ON_DEMAND, 0, second), 0);
    }
}

TEST_WITH_DATABASE(what_has_expired_is_not_known)
{
    SAY(db, &spot_page, P("a", "1", .kind = PRICE_SPOT), P("a", "3"));
    EXPECT_INT(known(db, "a", PRICE_SPOT, DAY, NULL), 1000000000);
    EXPECT_INT(known(db, "a", PRICE_SPOT, DAY + 1, NULL), 0);
    EXPECT_INT(known(db, "a", PRICE_ON_DEMAND, 30 * DAY, NULL), 3000000000);
    EXPECT_INT(known(db, "a", PRICE_ON_DEMAND, 30 * DAY + 1, NULL), 0);
}

TEST_WITH_DATABASE(what_is_in_doubt_is_not_known)
{
    const struct said said[] = {P("a", "10"), P("b", "1")};
    struct feed_reading reading = {
        .source = &other, .at_us = THEN_US + SECOND_US, .prices = said, .count = 2};

    SAY(db, &other, P("a", "1"), P("b", "1"));
    EXPECT_INT((long long)replaced(db, &reading).held, 1);
    EXPECT_INT(known(db, "a", PRICE_ON_DEMAND, 1, NULL), 0);
    EXPECT_INT(known(db, "b", PRICE_ON_DEMAND, 1, NULL), 1000000000);
}

TEST_WITH_DATABASE(many_types_are_told_apart)
{
    static struct said said[900];
    static char names[900][12], texts[900][12];

    for (size_t i = 0; i < COUNT(said); i++) {
        snprintf(names[i], sizeof names[i], "t%zu", i);
        snprintf(texts[i], sizeof texts[i], "%zu", i + 1);
        said[i] = (struct said){.type = names[i], .text = texts[i]};
    }
    replaced(db, &(struct feed_reading){
                     .source = &other, .at_us = THEN_US, .prices = said, .count = COUNT(said)});
    for (size_t i = 0; i < COUNT(said); i += 100)
        EXPECT_INT(known(db, names[i], PRICE_ON_DEMAND, 0, NULL),
                   (long long)(i + 1) * 1000000000);
}

/* The price by the hour may be in a zone, of any region, or typed. */
TEST(a_spot_price_of_a_file_is_compared_with_every_price_by_the_hour)
{
    static const struct {
        const char *dollars;
        long long stored;
    } spots[] = {{"700", 0}, {"0.7", 1}};

    EACH(struct said, hourly, P("t", "0.357"), P("t", "0.357", .zone = "eu-north-1a"),
         P("t", "0.357", .region = ""), P("t", "0.357", .kind = PRICE_TYPED),
         P("t", "0.357", .kind = PRICE_TYPED, .region = ""))
        for (size_t k = 0; k < COUNT(spots); k++) {
            NEW_DATABASE(db);
            struct price typed = price_said(&hourly);

            typed.source_us = THEN_US;
            if (hourly.kind == PRICE_TYPED) {
                EXPECT(prices_put(db, &typed, 1, NULL));
                SAY(db, &file, P("t", spots[k].dollars, .kind = PRICE_SPOT));
            } else {
                SAY(db, &file, hourly, P("t", spots[k].dollars, .kind = PRICE_SPOT));
            }
            EXPECT_ROWS(db, spots[k].stored, "price_series WHERE kind = 'spot'");
        }
}

/* A person may err, and a feed is not dropped for that. */
TEST_WITH_DATABASE(what_a_person_typed_is_no_measure_of_a_feed)
{
    const struct price typed =
        price_said(&(struct said)P("t", "0.001", .kind = PRICE_TYPED, .source_us = THEN_US));

    EXPECT(prices_put(db, &typed, 1, NULL));
    SAY(db, &spot_page, P("t", "0.7", .kind = PRICE_SPOT));
    EXPECT_ROWS(db, 1, "price_series WHERE kind = 'spot'");
}
