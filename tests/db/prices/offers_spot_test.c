/* Spot: whose zone, how it moved in a week, how often it is interrupted. */
#include "tests/db/offers.h"

#define SPOT(type, text, ...) P(type, text, .kind = PRICE_SPOT, __VA_ARGS__)

static const struct source zones_feed = {.name = "aws-spot-history"};
static const struct source region_feed = {.name = "aws-spot-page"};

static struct offer offer_in_zone(struct db *db, const char *type, const char *zone)
{
    struct offers_question question = asked(10);

    question.zone = zone;
    return offer_asked(db, type, &question);
}

TEST_WITH_DATABASE(without_a_zone_the_cheapest_is_chosen_and_named)
{
    READ_OF(db, &zones_feed, 0, SPOT("m5.large", "0.3", .zone = "z-a"),
            SPOT("m5.large", "0.2", .zone = "z-b"), SPOT("m5.large", "0.4", .zone = "z-c"),
            SPOT("m5.large", "0.1", .zone = "x-a", .region = "elsewhere"));
    /* A feed that is accepted less may say less. */
    READ_OF(db, &region_feed, 0, SPOT("m5.large", "0.05", .region = "eu-north-1"),
            P("m5.large", "0.01"));
    struct offer offer = offer_in_zone(db, "m5.large", NULL);
    expect_price(offer.spot, "0.2");
    EXPECT_HAS(offer.spot->price, (zone, "z-b"), (region, "eu-north-1"),
               (feed, "aws-spot-history"));
    expect_price(offer_in_zone(db, "m5.large", "").spot, "0.2");
    /* What a feed says of its zones is more than what it says of the region. */
    READ(db, 0, SPOT("c5.large", "0.5", .zone = "z-a"),
         SPOT("c5.large", "0.1", .region = "eu-north-1"));
    expect_price(offer_in_zone(db, "c5.large", NULL).spot, "0.5");
    expect_price(offer_in_zone(db, "c5.large", "z-b").spot, "0.1");
}

TEST_WITH_DATABASE(a_zone_that_is_asked_for_has_its_own_price_or_its_regions)
{
    READ_OF(db, &zones_feed, 0, SPOT("m5.large", "0.3", .zone = "z-a"),
            SPOT("m5.large", "0.2", .zone = "z-b"), SPOT("c5.large", "0.1", .zone = "z-b"));
    READ_OF(db, &region_feed, 0, SPOT("m5.large", "0.25", .region = "eu-north-1"));
    struct offer offer = offer_in_zone(db, "m5.large", "z-a");
    expect_price(offer.spot, "0.3");
    EXPECT_STR(offer.spot->price.zone, "z-a");
    offer = offer_in_zone(db, "m5.large", "z-c");
    expect_price(offer.spot, "0.25");
    EXPECT_HAS(offer.spot->price, (zone, ""), (feed, "aws-spot-page"));
    /* Another zone's is no price here. */
    expect_none(offer_in_zone(db, "c5.large", "z-a").spot,
                "no feed has a spot price of it in eu-north-1 (zone z-a)");
    /* A zone's price wins over a region's, from any feed. */
    READ(db, 0, SPOT("m5.large", "0.6", .zone = "z-d"));
    offer = offer_in_zone(db, "m5.large", "z-d");
    expect_price(offer.spot, "0.6");
    EXPECT_STR(offer.spot->price.feed, "made-up");
}

TEST_WITH_DATABASE(on_demand_of_a_zone_is_used_only_for_a_question_about_that_zone)
{
    READ(db, 0, P("m5.large", "3", .zone = "local"), P("c5.large", "2"),
         P("c5.large", "1", .zone = "local"));
    expect_none(offer_in_zone(db, "m5.large", NULL).on_demand,
                "no feed has an on-demand price of it in eu-north-1");
    expect_price(offer_in_zone(db, "c5.large", NULL).on_demand, "2");
    expect_price(offer_in_zone(db, "m5.large", "local").on_demand, "3");
    expect_price(offer_in_zone(db, "c5.large", "local").on_demand, "1");
}

/* Seconds after the first reading at which a price began to hold, of a series with a reading
 * each: the feed has it no more where the text is NULL. */
struct move {
    long long seconds;
    const char *text;
};

static void tell_moves(struct db *db, const struct move *moves, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct said said[] = {FOUR, SPOT("m5.large", moves[i].text, .zone = "z")};

        replaced(db, &(struct feed_reading){.at_us = THEN_US + moves[i].seconds * SECOND_US,
                                            .prices = said,
                                            .count = COUNT(said),
                                            .accept = true});
    }
}

#define DAY 86400LL

TEST_WITH_QUESTION(a_spread_is_of_seven_days, 10 * DAY)
{
    static const struct move moves[] = {
        {0, "9"},        /* beyond the week: of no matter */
        {2 * DAY, "2"},  /* the week begins a day later */
        {5 * DAY, "4"},  /* the highest in it */
        {7 * DAY, "3"},  /* for a day */
        {8 * DAY, NULL}, /* a day without any */
        {9 * DAY, "1"},  /* holds: a day until the moment */
    };

    tell_moves(db, moves, COUNT(moves));
    for (int now = 0; now < 2; now++) {
        question->is_now = now;
        struct offer offer = offer_asked(db, "m5.large", question);

        expect_price(offer.spot, "1");
        EXPECT_ABOUT(*offer.spot, 1e-12, (low, 1), (high, 4));
    }
    /* Nine is still in the week of an earlier moment, for one second. */
    *question = asked(9 * DAY - 1);
    question->at_us += SECOND_US;
    EXPECT_NEAR(offer_asked(db, "m5.large", question).spot->high, 4, 1e-12);
    question->is_now = false;
    question->at_us = THEN_US + 8 * DAY * SECOND_US - SECOND_US;
    struct offer offer = offer_asked(db, "m5.large", question);
    expect_price(offer.spot, "3");
    EXPECT_ABOUT(*offer.spot, 1e-12, (high, 9), (low, 2));
}

TEST_WITH_QUESTION(a_series_younger_than_a_week_has_what_there_is, 0)
{
    static const struct move moves[] = {{0, "0.1"}, {60, "0.3"}, {90, "0.09"}};

    tell_moves(db, moves, COUNT(moves));
    question->is_now = false;
    struct offer offer = offer_asked(db, "m5.large", question);
    EXPECT_NEAR(offer.spot->low, 0.1, 1e-15); /* it began this very moment */
    EXPECT_NEAR(offer.spot->high, 0.1, 1e-15);
    question->at_us = THEN_US + 80 * SECOND_US;
    offer = offer_asked(db, "m5.large", question);
    EXPECT_ABOUT(*offer.spot, 1e-15, (low, 0.1), (high, 0.3));
    /* Of the moment of a change the new price is part, though it held no time yet. */
    question->at_us = THEN_US + 60 * SECOND_US;
    offer = offer_asked(db, "m5.large", question);
    expect_price(offer.spot, "0.3");
    EXPECT_NEAR(offer.spot->high, 0.3, 1e-15);
    question->at_us = THEN_US + 90 * SECOND_US;
    offer = offer_asked(db, "m5.large", question);
    EXPECT_ABOUT(*offer.spot, 1e-15, (low, 0.09), (high, 0.3));
}

/* Zones, feeds and kinds of one type have spreads of their own. */
TEST_WITH_QUESTION(a_spread_is_of_that_very_series, 120)
{
    READ(db, 0, SPOT("m5.large", "0.2", .zone = "z-a"), SPOT("m5.large", "0.4", .zone = "z-b"),
         P("m5.large", "1"));
    READ(db, 60, SPOT("m5.large", "0.2", .zone = "z-a"), SPOT("m5.large", "0.6", .zone = "z-b"),
         P("m5.large", "2"));
    struct offer offer = offer_asked(db, "m5.large", question);
    expect_price(offer.spot, "0.2");
    EXPECT_ABOUT(*offer.spot, 1e-15, (low, 0.2), (high, 0.2));
    EXPECT(offer.on_demand->low <= 0 && offer.on_demand->high <= 0);
    question->zone = "z-b";
    offer = offer_asked(db, "m5.large", question);
    EXPECT_ABOUT(*offer.spot, 1e-15, (low, 0.4), (high, 0.6));
}

TEST_WITH_QUESTION(the_band_is_of_the_region_that_the_price_is_from, 10)
{
    READ(db, 0, SPOT("m5.large", "1", .region = "r-2"), P("m5.large", "1", .region = "r-1"),
         P("c5.large", "1", .region = "r-1"), P("t3.large", "1", .region = "r-1"));
    execute(db, "INSERT INTO interruptions VALUES ('aws', 'm5.large', 'r-1', '>20%', 'f'),"
                " ('aws', 'm5.large', 'r-2', '<5%', 'f'),"
                " ('gcp', 'm5.large', 'r-2', '5-10%', 'f'),"
                " ('aws', 'c5.large', 'r-1', '10-15%', 'f'),"
                " ('aws', 't3.large', 'r-2', '10-15%', 'f')");
    question->regions[0] = "r-1";
    question->regions[1] = "r-2";
    struct offer offer = offer_asked(db, "m5.large", question);
    EXPECT_HAS(offer, (spot->price.region, "r-2"), (band, "<5%"));
    offer = offer_asked(db, "c5.large", question); /* no spot: of the region asked for first */
    EXPECT_STR(offer.band, "10-15%");
    EXPECT_STR(offer_asked(db, "t3.large", question).band, "");
}
