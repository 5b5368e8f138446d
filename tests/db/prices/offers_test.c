/* Which price an offer has: of the kind that was asked about, or none. */
#include "tests/db/offers.h"

#define NO_SPOT "no feed has a spot price of it in eu-north-1"
#define NO_ON_DEMAND "no feed has an on-demand price of it in eu-north-1"
#define NOT_TYPED "no price of it was typed in eu-north-1"

static const struct source first_feed = {.name = "aws-spot-history"};
static const struct source second_feed = {.name = "aws-spot-page"};

TEST_WITH_QUESTION(a_price_of_one_kind_never_fills_another, 10)
{
    READ(db, 0, P("listed", "1"), P("bidden", "2", .kind = PRICE_SPOT));
    PUT(db, "typed", "aws", "known", "3", .kind = PRICE_TYPED, .source_us = THEN_US);
    PUT(db, "published", "aws", "old", "4", .source_us = THEN_US);
    for (int now = 0; now < 2; now++) {
        question->is_now = now;
        struct offer offer = offer_asked(db, "listed", question);

        expect_price(offer.on_demand, "1");
        EXPECT_INT(offer.on_demand->price.kind, PRICE_ON_DEMAND);
        EXPECT_INT(offer.on_demand->price.nanos, 1000000000);
        EXPECT(!price_at_is_published(offer.on_demand));
        EXPECT(offer.on_demand->low <= 0 && offer.on_demand->high <= 0); /* it is not spot */
        expect_none(offer.spot, NO_SPOT);
        EXPECT_INT(offer.spot->price.kind, PRICE_SPOT);
        expect_none(offer.typed, NOT_TYPED);
        expect_none(offer.published_on_demand, "it was not published with an on-demand price");
        expect_none(offer.published_spot, "it was not published with a spot price");
        offer = offer_asked(db, "bidden", question);
        expect_price(offer.spot, "2");
        expect_none(offer.on_demand, NO_ON_DEMAND);
        expect_none(offer.typed, NOT_TYPED);
        offer = offer_asked(db, "known", question);
        expect_price(offer.typed, "3");
        expect_none(offer.on_demand, NO_ON_DEMAND);
        expect_none(offer.spot, NO_SPOT);
        offer = offer_asked(db, "old", question);
        expect_price(offer.published_on_demand, "4");
        EXPECT(price_at_is_published(offer.published_on_demand));
        expect_none(offer.published_spot, "it was not published with a spot price");
        expect_none(offer.on_demand, NO_ON_DEMAND);
        expect_none(offer.typed, NOT_TYPED);
    }
}

TEST_WITH_QUESTION(only_dollars_are_chosen, 10)
{
    READ(db, 0, P("both", "9", .currency = "SEK"), P("both", "1"),
         P("crowns", "9", .currency = "SEK"));
    PUT(db, "typed", "aws", "euros", "3", .kind = PRICE_TYPED, .source_us = THEN_US,
        .currency = "EUR");
    AUTO(offers_free) struct offers offers = offers_asked(db, question);
    EXPECT_INT((long long)offers.count, 1);
    EXPECT(offers_find(&offers, "aws", "crowns") == NULL);
    EXPECT(offers_find(&offers, "aws", "euros") == NULL);
    expect_price(offer_asked(db, "both", question).on_demand, "1");
}

TEST(the_feed_that_is_accepted_first_wins_while_it_speaks)
{
    static const struct source *const orders[][2] = {{&first_feed, &second_feed},
                                                     {&second_feed, &first_feed}};

    for (size_t i = 0; i < COUNT(orders); i++) {
        NEW_DATABASE(db);
        struct offers_question question = asked(10);

        for (size_t j = 0; j < 2; j++)
            READ_OF(db, orders[i][j], 0,
                    P("m5.large", orders[i][j] == &first_feed ? "2" : "1", .kind = PRICE_SPOT));
        READ(db, 0, P("m5.large", "0.5", .kind = PRICE_SPOT)); /* of a feed without a rank */
        struct offer offer = offer_asked(db, "m5.large", &question);
        expect_price(offer.spot, "2");
        EXPECT_STR(offer.spot->price.feed, "aws-spot-history");
        /* A day later only the other one has said so again. */
        READ_OF(db, &second_feed, 86000, P("m5.large", "1", .kind = PRICE_SPOT));
        question.at_us = THEN_US + DAY_US;
        offer = offer_asked(db, "m5.large", &question);
        expect_price(offer.spot, "2");
        EXPECT_INT(offer.spot->freshness, PRICE_STALE);
        question.at_us = THEN_US + DAY_US + 1;
        offer = offer_asked(db, "m5.large", &question);
        expect_price(offer.spot, "1");
        EXPECT_STR(offer.spot->price.feed, "aws-spot-page");
        EXPECT_INT(offer.spot->freshness, PRICE_FRESH);
    }
}

TEST_WITH_QUESTION(a_price_in_doubt_is_not_fresh, 59)
{
    WEIGH(db, 0, P("a", "1", .kind = PRICE_SPOT), P("b", "1", .kind = PRICE_SPOT));
    WEIGH(db, 60, P("a", "10", .kind = PRICE_SPOT), P("b", "1", .kind = PRICE_SPOT));
    question->is_now = false;
    EXPECT_INT(offer_asked(db, "a", question).spot->freshness, PRICE_FRESH); /* not yet */
    *question = asked(61);
    EXPECT_INT(offer_asked(db, "a", question).spot->freshness, PRICE_STALE);
    EXPECT_INT(offer_asked(db, "b", question).spot->freshness, PRICE_FRESH);
    WEIGH(db, 120, P("a", "10", .kind = PRICE_SPOT), P("b", "1", .kind = PRICE_SPOT));
    *question = asked(121);
    EXPECT_INT(offer_asked(db, "a", question).spot->freshness, PRICE_FRESH);
}

TEST_WITH_QUESTION(an_expired_price_is_none_and_says_since_when, 0)
{
    READ(db, 0, P("m5.large", "1"), P("m5.large", "2", .kind = PRICE_SPOT));
    question->at_us = THEN_US + 30 * DAY_US;
    struct offer offer = offer_asked(db, "m5.large", question);
    expect_price(offer.on_demand, "1");
    EXPECT_INT(offer.on_demand->freshness, PRICE_STALE);
    expect_none(offer.spot, "expired: last said 2023-11-14T22:30:00.000Z");
    question->at_us++;
    expect_none(offer_asked(db, "m5.large", question).on_demand,
                "expired: last said 2023-11-14T22:30:00.000Z");
    /* A feed's own time counts, where it has one. */
    replaced(db, &(struct feed_reading){.at_us = question->at_us,
                                        .source_us = NOON_US,
                                        .prices = (const struct said[]){P("m5.large", "1")},
                                        .count = 1,
                                        .scope = "slow"});
    expect_none(offer_asked(db, "m5.large", question).on_demand,
                "expired: last said 2023-11-14T22:30:00.000Z");
}

TEST_WITH_QUESTION(regions_are_tried_in_the_order_asked, 10)
{
    READ(db, 0, P("m5.large", "1", .region = "r-1"), P("m5.large", "2", .region = "r-2"),
         P("m5.large", "0.3", .kind = PRICE_SPOT, .region = "r-2"),
         P("m5.large", "0.1", .kind = PRICE_SPOT, .region = "r-3"));
    question->regions[0] = "r-1";
    question->regions[1] = "r-2";
    struct offer offer = offer_asked(db, "m5.large", question);
    expect_price(offer.on_demand, "1");
    EXPECT_STR(offer.on_demand->price.region, "r-1");
    expect_price(offer.spot, "0.3");
    EXPECT_STR(offer.spot->price.region, "r-2");
    question->regions[0] = "r-2";
    question->regions[1] = "r-1";
    expect_price(offer_asked(db, "m5.large", question).on_demand, "2");
    question->regions[0] = "r-1";
    question->regions[1] = NULL;
    expect_none(offer_asked(db, "m5.large", question).spot,
                "no feed has a spot price of it in r-1");
    question->regions[1] = "r-9";
    expect_none(offer_asked(db, "m5.large", question).spot,
                "no feed has a spot price of it in r-1 or r-9");
    question->regions[2] = "r-8";
    expect_none(offer_asked(db, "m5.large", question).spot,
                "no feed has a spot price of it in r-1 or 2 others");
}

/* The first region's feed fell silent; what the second one says is fresh. */
TEST_WITH_QUESTION(a_region_whose_price_expired_is_passed_over, 86500)
{
    struct feed_reading reading = {
        .scope = "r-2",
        .at_us = THEN_US + DAY_US,
        .prices = (const struct said[]){P("m5.large", "2", .region = "r-2", .kind = PRICE_SPOT)},
        .count = 1};

    READ(db, 0, P("m5.large", "1", .region = "r-1", .kind = PRICE_SPOT));
    replaced(db, &reading);
    question->regions[0] = "r-1";
    question->regions[1] = "r-2";
    struct offer offer = offer_asked(db, "m5.large", question);
    expect_price(offer.spot, "2");
    EXPECT_STR(offer.spot->price.region, "r-2");
}

TEST_WITH_QUESTION(the_price_of_a_past_moment_is_what_held_then, 0)
{
    static const struct {
        long long seconds, since;
        const char *text;
    } moments[] = {{0, 0, "1"},    {59, 0, "1"},    {60, 60, "2"},
                   {119, 60, "2"}, {180, 180, "3"}, {900, 180, "3"}};

    READ(db, 0, FOUR, P("m5.large", "1"));
    READ(db, 60, FOUR, P("m5.large", "2"));
    READ(db, 120, FOUR);
    READ(db, 180, FOUR, P("m5.large", "3"));
    question->is_now = false;
    for (size_t i = 0; i < COUNT(moments); i++) {
        question->at_us = THEN_US + moments[i].seconds * SECOND_US;
        struct offer offer = offer_asked(db, "m5.large", question);

        expect_price(offer.on_demand, moments[i].text);
        EXPECT_INT(offer.on_demand->since_us, THEN_US + moments[i].since * SECOND_US);
    }
    for (int i = 0; i < 2; i++) { /* before there was one, and while there was none */
        question->at_us = i ? THEN_US + 150 * SECOND_US : THEN_US - 1;
        AUTO(offers_free) struct offers offers = offers_asked(db, question);
        EXPECT_INT((long long)offers.count, i ? 4 : 0);
        EXPECT(offers_find(&offers, "aws", "m5.large") == NULL);
    }
}

TEST_WITH_QUESTION(a_later_reading_does_not_confirm_an_earlier_price, -1)
{
    READ(db, 0, P("m5.large", "1", .kind = PRICE_SPOT, .source_us = NOON_US));
    READ(db, 90000, P("m5.large", "1", .kind = PRICE_SPOT, .source_us = NOON_US));
    question->is_now = false;
    expect_none(offer_asked(db, "m5.large", question).spot,
                "expired: no reading confirmed it by then");
    question->at_us = THEN_US + 89999 * SECOND_US;
    expect_none(offer_asked(db, "m5.large", question).spot,
                "expired: last said 2023-11-14T22:30:00.000Z");
    question->at_us = THEN_US + 90000 * SECOND_US;
    struct offer offer = offer_asked(db, "m5.large", question);
    expect_price(offer.spot, "1");
    EXPECT_HAS(*offer.spot, (price.fetched_us, THEN_US + 90000 * SECOND_US), (price.source_us, 0),
               (since_us, NOON_US));
}

TEST_WITH_QUESTION(a_future_price_is_not_the_current_one, 90)
{
    READ(db, 0, P("m5.large", "1"), P("new", "5", .source_us = THEN_US + 500 * SECOND_US));
    READ(db, 60, P("m5.large", "2", .source_us = THEN_US + 500 * SECOND_US),
         P("new", "5", .source_us = THEN_US + 500 * SECOND_US));
    struct offer offer = offer_asked(db, "m5.large", question);
    expect_price(offer.on_demand, "1");
    EXPECT_INT(offer.on_demand->since_us, THEN_US);
    AUTO(offers_free) struct offers offers = offers_asked(db, question);
    EXPECT(offers_find(&offers, "aws", "new") == NULL);
    question->at_us = THEN_US + 500 * SECOND_US;
    expect_price(offer_asked(db, "m5.large", question).on_demand, "2");
    expect_price(offer_asked(db, "new", question).on_demand, "5");
}

TEST_WITH_QUESTION(a_withdrawn_price_is_none, 60)
{
    READ(db, 0, FOUR, P("goes", "1", .kind = PRICE_SPOT), P("stays", "1", .kind = PRICE_SPOT));
    READ_OF(db, &second_feed, 0, P("stays", "7", .kind = PRICE_SPOT));
    PUT(db, "typed", "aws", "typed", "2", .kind = PRICE_TYPED, .source_us = THEN_US);
    PUT(db, "typed", "aws", "typed", NULL, .kind = PRICE_TYPED,
        .source_us = THEN_US + 60 * SECOND_US);
    READ(db, 60, FOUR, P("stays", "1", .kind = PRICE_SPOT));
    for (int now = 0; now < 2; now++) {
        question->is_now = now;
        AUTO(offers_free) struct offers offers = offers_asked(db, question);
        EXPECT_INT((long long)offers.count, 5);
        EXPECT(offers_find(&offers, "aws", "goes") == NULL);
        EXPECT(offers_find(&offers, "aws", "typed") == NULL);
    }
    question->at_us--;
    question->is_now = false;
    expect_price(offer_asked(db, "goes", question).spot, "1");
    expect_price(offer_asked(db, "typed", question).typed, "2");
}

TEST_WITH_QUESTION(without_regions_or_prices_there_is_nothing, 10)
{
    AUTO(offers_free) struct offers none = offers_asked(db, question);
    EXPECT_INT((long long)none.count, 0);
    EXPECT(offers_find(&none, "aws", "m5.large") == NULL);
    EXPECT(offers_find(&none, "", "m5.large") == NULL);
    READ(db, 0, P("m5.large", "1"));
    PUT(db, "typed", "aws", "box", "2", .kind = PRICE_OWN, .source_us = THEN_US, .region = "");
    question->regions[0] = NULL;
    AUTO(offers_free) struct offers offers = offers_asked(db, question);
    EXPECT_INT((long long)offers.count, 1);
    struct offer offer = offer_asked(db, "box", question);
    expect_price(offer.typed, "2");
    EXPECT_INT(offer.typed->price.kind, PRICE_OWN);
    expect_none(offer.spot, "no feed has a spot price of it in any region: none was named");
}

/* The present price of a series is not what its history says: which one is true? */
TEST_WITH_QUESTION(a_price_at_odds_with_its_history_is_none, 10)
{
    READ(db, 0, P("m5.large", "1"));
    execute(db, "UPDATE price_series SET nanos = 5");
    expect_none(offer_asked(db, "m5.large", question).on_demand,
                "its stored prices contradict each other");
    execute(db, "DELETE FROM prices");
    expect_none(offer_asked(db, "m5.large", question).on_demand,
                "its stored prices contradict each other");
}

/* Another connection stores a price in the midst of a question of this one. */
struct meddler {
    struct db *db;
    long long steps_left, seconds;
};

static int meddle(void *user)
{
    struct meddler *meddler = user;

    if (--meddler->steps_left == 0) {
        if (meddler->seconds % 2)
            READ(meddler->db, meddler->seconds, P("m5.large", "2"));
        else
            READ(meddler->db, meddler->seconds, P("m5.large", "1"));
    }
    return 0;
}

TEST_IN_FOLDER(a_price_that_moves_meanwhile_is_the_old_one_or_the_new_one)
{
    AUTO(db_freep) struct db *db = open_database(folder), *other = open_database(folder);
    const struct offers_question question = asked(10000);
    bool was_late = false;

    READ(db, 0, P("m5.large", "1"));
    for (long long steps = 1; !was_late; steps++) {
        struct meddler meddler = {.db = other, .steps_left = steps, .seconds = steps};

        sqlite3_progress_handler(db->handle, 1, meddle, &meddler);
        struct offer offer = offer_asked(db, "m5.large", &question);
        sqlite3_progress_handler(db->handle, 0, NULL, NULL);
        expect_price(offer.on_demand, offer.on_demand->price.nanos == 1000000000 ? "1" : "2");
        EXPECT_INT(sqlite3_txn_state(db->handle, NULL), SQLITE_TXN_NONE);
        was_late = meddler.steps_left > 0;
        EXPECT(!was_late || steps > 50); /* it did come in between */
    }
}

TEST_WITH_QUESTION(a_database_that_fails_has_no_offers, 10)
{
    READ(db, 0, P("m5.large", "1"));
    EACH_TEXT(table, "interruptions", "readings", "prices", "price_series") {
        struct offers offers = {.count = 12345};

        execute_with(db, "ALTER TABLE %s RENAME TO gone", table);
        EXPECT_ERROR(offers_load(db, question, NULL, 0, &offers, &err), ERROR_INTERNAL);
        EXPECT_INT((long long)offers.count, 12345);
        EXPECT(!offers.list);
        execute_with(db, "ALTER TABLE gone RENAME TO %s", table);
        expect_price(offer_asked(db, "m5.large", question).on_demand, "1");
    }
}

TEST_WITH_QUESTION(prices_of_a_third_party_are_marked, 10)
{
    static const struct source third = {.name = "gcp-third-party"};

    EXPECT(gcp_pricelist.third_party);
    replaced(db, &(struct feed_reading){.source = &third,
                                        .at_us = THEN_US,
                                        .source_us = NOON_US,
                                        .prices = (const struct said[]){P("m5.large", "1")},
                                        .count = 1});
    READ_OF(db, &first_feed, 0, P("c5.large", "1"));
    struct offer offer = offer_asked(db, "m5.large", question);
    EXPECT(offer.on_demand->third_party);
    EXPECT_INT(offer.on_demand->price.source_us, NOON_US); /* when it says that it said so */
    EXPECT_INT(offer.on_demand->price.fetched_us, THEN_US);
    offer = offer_asked(db, "c5.large", question);
    EXPECT(offer.on_demand->price.nanos && !offer.on_demand->third_party);
}
