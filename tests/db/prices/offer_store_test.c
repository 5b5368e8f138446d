/* Offers of regions that are kept between questions are those that would be read. */
#include "db/prices/offer_store.h"

#include "tests/db/offers.h"

#include <math.h>

#define REGION(number) .region = "eu-north-" number

static void fill(struct db *db)
{
    READ(db, 0, P("a", "1"), P("a", "0.5", .kind = PRICE_SPOT, .zone = "eu-north-1a"),
         P("a", "0.4", .kind = PRICE_SPOT, .zone = "eu-north-1b"), P("b", "3", REGION("2")),
         P("a", "2", REGION("2")), P("a", "0.9", .kind = PRICE_SPOT, REGION("2")));
    READ(db, 3600, P("a", "1"), P("a", "0.6", .kind = PRICE_SPOT, .zone = "eu-north-1a"),
         P("a", "0.45", .kind = PRICE_SPOT, .zone = "eu-north-1b"), P("b", "3", REGION("2")),
         P("a", "2.2", REGION("2")), P("a", "0.8", .kind = PRICE_SPOT, REGION("2")));
    PUT(db, "typed", "aws", "a", "7", .kind = PRICE_TYPED, .source_us = THEN_US, .region = "");
}

static bool same_price(const struct price_at *a, const struct price_at *b)
{
    return a->price.nanos == b->price.nanos && strcmp(a->price.region, b->price.region) == 0 &&
           strcmp(a->price.zone, b->price.zone) == 0 &&
           strcmp(a->price.text, b->price.text) == 0 &&
           strcmp(a->price.feed, b->price.feed) == 0 && a->since_us == b->since_us &&
           a->price.fetched_us == b->price.fetched_us && a->freshness == b->freshness &&
           fabs(a->low - b->low) < 1e-12 && fabs(a->high - b->high) < 1e-12 &&
           strcmp(a->why_not, b->why_not) == 0;
}

/* The same with the store and without. */
static void expect_alike(struct db *db, struct offer_store *store, long long prices,
                         const struct offers_question *question)
{
    AUTO(offers_free) struct offers read = offers_asked(db, question), kept = {0};

    EXPECT_OK(offers_load(db, question, store, prices, &kept, &err));
    EXPECT_INT((long long)kept.count, (long long)read.count);
    for (size_t i = 0; i < read.count && i < kept.count; i++) {
        const struct offer *a = &read.list[i], *b = &kept.list[i];

        EXPECT_STR(b->instance, a->instance);
        EXPECT(same_price(a->on_demand, b->on_demand));
        EXPECT(same_price(a->spot, b->spot));
        EXPECT(same_price(a->typed, b->typed));
    }
}

TEST_WITH_DATABASE(every_question_has_the_answer_that_it_would_have_without)
{
    static const char *const regions[][3] = {{"eu-north-1"},
                                             {"eu-north-2"},
                                             {"eu-north-1", "eu-north-2"},
                                             {"eu-north-2", "eu-north-1"},
                                             {"eu-north-2", "nowhere"}};
    static const char *const zones[] = {NULL, "eu-north-1a", "eu-north-1b"};
    struct offer_store *store = offer_store_new();

    fill(db);
    for (int round = 0; round < 3; round++)
        for (int now = 0; now < 2; now++)
            for (size_t i = 0; i < COUNT(regions); i++)
                for (size_t z = 0; z < COUNT(zones); z++)
                    for (long long at = 1800; at <= 7200; at += 1800) {
                        struct offers_question question = asked(at);

                        memcpy(question.regions, regions[i], sizeof regions[i]);
                        question.zone = zones[z];
                        question.is_now = now;
                        expect_alike(db, store, 1, &question);
                    }
    offer_store_free(store);
}

#define CHANGES 120
#define BETWEEN (18 * 3600) /* seconds */

/* Prices that move for ninety days, each zone by itself; of one type a price ends and comes
 * again, one has more digits than are kept, and one was typed, then withdrawn. */
static void fill_long(struct db *db)
{
    static char texts[CHANGES][4][40];

    for (int i = 0; i < CHANGES; i++) {
        snprintf(texts[i][0], sizeof texts[i][0], "%d.%02d", 1 + i / 30, i % 7);
        snprintf(texts[i][1], sizeof texts[i][1], "0.%02d", 10 + i * 37 % 41);
        snprintf(texts[i][2], sizeof texts[i][2], "0.%02d", 12 + i * 23 % 41);
        snprintf(texts[i][3], sizeof texts[i][3], "0.%02d00000000000000000000000", 10 + i % 5);
        replaced(db, &(struct feed_reading){
                         .at_us = THEN_US + (long long)i * BETWEEN * SECOND_US,
                         .prices =
                             (const struct said[]){
                                 P("a", texts[i][0]), P("b", texts[i][3], .kind = PRICE_SPOT),
                                 P("a", texts[i][1], .kind = PRICE_SPOT, .zone = "eu-north-1a"),
                                 P("a", texts[i][2], .kind = PRICE_SPOT, .zone = "eu-north-1b"),
                                 P("c", texts[i][1], .kind = PRICE_SPOT)},
                         .count = i % 5 == 4 ? 4 : 5,
                         .accept = true});
    }
    PUT(db, "typed", "aws", "a", "7", .kind = PRICE_TYPED, .source_us = THEN_US);
    PUT(db, "typed", "aws", "a", "8", .kind = PRICE_TYPED, .source_us = THEN_US + DAY_US);
    PUT(db, "typed", "aws", "a", "9", .kind = PRICE_TYPED, .source_us = THEN_US + 10 * DAY_US);
    execute(db, "UPDATE prices SET withdrawn_us = since_us + 3 * 86400000000 WHERE text = '8'");
}

TEST_WITH_DATABASE(every_moment_of_the_past_has_the_answer_that_it_would_have_without)
{
    struct offer_store *store = offer_store_new();
    unsigned long long random = 7;

    fill_long(db);
    for (int i = 0; i < 300; i++) {
        const long long whole = (long long)CHANGES * BETWEEN;

        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        struct offers_question question =
            asked(i % 9 == 0 ? (long long)(random >> 33) % CHANGES * BETWEEN
                             : (long long)(random >> 33) % (whole + BETWEEN) - 3600);
        question.is_now = i % 4 == 0;
        question.zone = i % 3 == 0 ? "eu-north-1b" : NULL;
        expect_alike(db, store, 1, &question);
    }
    offer_store_free(store);
}

TEST_WITH_DATABASE(what_was_read_before_prices_changed_is_forgotten)
{
    struct offer_store *store = offer_store_new();
    const struct offers_question question = asked(7300);

    fill(db);
    expect_alike(db, store, 1, &question);
    READ(db, 7200, P("a", "1.1"), P("a", "0.6", .kind = PRICE_SPOT, .zone = "eu-north-1a"),
         P("a", "0.5", .kind = PRICE_SPOT, .zone = "eu-north-1b"), P("b", "3", REGION("2")),
         P("a", "2.2", REGION("2")), P("a", "0.8", .kind = PRICE_SPOT, REGION("2")));
    AUTO(offers_free) struct offers old = {0};
    EXPECT(offers_load(db, &question, store, 1, &old, NULL)); /* the same revision: as it was */
    EXPECT_STR(offers_find(&old, "aws", "a")->on_demand->price.text, "1");
    expect_alike(db, store, 2, &question);
    offer_store_free(store);
}

TEST_WITH_DATABASE(more_regions_than_are_kept_are_read)
{
    struct offer_store *store = offer_store_new();
    struct offers_question question = asked(3700);
    char names[QUESTION_LIST_MAX][REGION_SIZE];

    fill(db);
    for (size_t i = 0; i < QUESTION_LIST_MAX; i++) {
        snprintf(names[i], sizeof names[i], "eu-north-%zu", QUESTION_LIST_MAX - i);
        question.regions[i] = names[i];
    }
    for (int round = 0; round < 2; round++)
        expect_alike(db, store, 1, &question);
    offer_store_free(store);
    offer_store_free(NULL);
}
