/* What a new reading is weighed by: how prices of its kind move, and what other feeds know of the
 * same types. */
#include "tests/db/prices/worlds.h"

static void expect_words(const char *words, const char *expected)
{
    EXPECT_STR(words ? words : "it is accepted", expected);
}

TEST(a_list_that_moves_as_a_whole_waits_for_another)
{
    static const struct {
        bool spot;
        double factor;
    } moves[] = {{false, 0.81}, {false, 1.1}, {false, 10}, {true, 0.1}, {true, 1.6}};

    for (size_t i = 0; i < COUNT(moves); i++) {
        NEW_DATABASE(db);
        struct world world = world_of(1, 0.4);
        double *prices = moves[i].spot ? world.spot : world.on_demand, before = prices[0];
        const char *(*told)(struct db *, const double *, long long) =
            moves[i].spot ? spot_told : list_told;
        const char *feed = moves[i].spot ? "spots" : "lists";

        EXPECT(!told(db, prices, 0));
        times(prices, moves[i].factor);
        EXPECT(told(db, prices, HOUR) != NULL);
        EXPECT_NEAR((double)price_told(db, feed, 0, HOUR).price.nanos, 1e9 * before, 0);
        EXPECT(price_told(db, feed, 0, HOUR).doubted);
        EXPECT(!told(db, prices, 2 * HOUR));
        EXPECT_NEAR((double)price_told(db, feed, 0, 2 * HOUR).price.nanos,
                    1e9 * before * moves[i].factor, 1);
        EXPECT(!price_told(db, feed, 0, 2 * HOUR).doubted);
    }
}

/* No provider ever cut most of its list by a fifth at once. A page that carries spot prices looks
 * so, where no feed of spot prices tells, and says so every hour. */
TEST_WITH_DATABASE(a_list_that_fell_as_a_whole_waits_for_a_person)
{
    struct world world = world_of(1, 0.7);
    struct telling fallen = {.source = &lists, .on_demand = world.spot};
    struct feed_row row;

    EXPECT(!list_told(db, world.on_demand, 0));
    for (int hour = 1; hour < 100; hour++) {
        fallen.seconds = hour * HOUR;
        expect_words(why_refused(db, &fallen),
                     "not accepted: 80 of 80 on-demand prices fell by more than a fifth, as if"
                     " they were spot prices");
        EXPECT_INT(price_told(db, "lists", 0, hour * HOUR).price.nanos, 1000000000);
        EXPECT(price_told(db, "lists", 0, hour * HOUR).doubted);
    }
    EXPECT(feed_rows_find(db, "lists", "all", &row, NULL));
    EXPECT(row.doubt.until_us == DOUBT_ENDLESS);
    EXPECT(!list_told(db, world.on_demand, 100 * HOUR)); /* the page is mended */
    EXPECT(!price_told(db, "lists", 0, 100 * HOUR).doubted);
    fallen.seconds = 101 * HOUR;
    fallen.accept = true;
    EXPECT(!why_refused(db, &fallen));
    EXPECT_INT(price_told(db, "lists", 0, 101 * HOUR).price.nanos, 700000000);
}

TEST_WITH_DATABASE(one_price_on_demand_that_leaps_waits_an_hour)
{
    struct world world = world_of(1, 0.4);

    EXPECT(!list_told(db, world.on_demand, 0));
    world.on_demand[0] = 0.5;
    EXPECT(!list_told(db, world.on_demand, HOUR));
    EXPECT_INT(price_told(db, "lists", 0, HOUR).price.nanos, 1000000000);
    EXPECT(price_told(db, "lists", 0, HOUR).doubted);
    EXPECT(!price_told(db, "lists", 1, HOUR).doubted);
    EXPECT(!list_told(db, world.on_demand, HOUR + 900)); /* the same said again at once */
    EXPECT(price_told(db, "lists", 0, HOUR + 900).doubted);
    world.on_demand[0] = 0.52; /* nearly the same is not the same */
    EXPECT(!list_told(db, world.on_demand, 3 * HOUR));
    EXPECT(price_told(db, "lists", 0, 3 * HOUR).doubted);
    EXPECT(!list_told(db, world.on_demand, 4 * HOUR));
    EXPECT_INT(price_told(db, "lists", 0, 4 * HOUR).price.nanos, 520000000);
    EXPECT(!price_told(db, "lists", 0, 4 * HOUR).doubted);
}

TEST_WITH_DATABASE(a_list_on_demand_that_carries_spot_prices_is_refused)
{
    struct world world = world_of(1, 0.9); /* so near that no price leaps */
    struct telling swapped = {.source = &lists, .on_demand = world.spot};

    EXPECT(!spot_told(db, world.spot, 0));
    /* The first reading of all is such a list. */
    for (int hour = 0; hour < 5; hour++) {
        EXPECT(!spot_told(db, world.spot, hour * HOUR));
        swapped.seconds = hour * HOUR;
        expect_words(why_refused(db, &swapped),
                     "not accepted: 80 of 80 on-demand prices are known as spot prices");
    }
    EXPECT(!list_told(db, world.on_demand, 5 * HOUR));
    for (int hour = 6; hour < 10; hour++) {
        EXPECT(!spot_told(db, world.spot, hour * HOUR));
        swapped.seconds = hour * HOUR;
        EXPECT(why_refused(db, &swapped) != NULL);
        EXPECT_INT(price_told(db, "lists", 0, hour * HOUR).price.nanos, 1000000000);
        EXPECT(price_told(db, "lists", 0, hour * HOUR).doubted);
    }
    swapped.accept = true;
    EXPECT(!why_refused(db, &swapped));
    /* What a person accepted is what is known: it is not doubted again. */
    swapped.accept = false;
    swapped.seconds = 10 * HOUR;
    EXPECT(!spot_told(db, world.spot, 10 * HOUR));
    EXPECT(!why_refused(db, &swapped));
}

TEST_WITH_DATABASE(a_list_of_spot_that_carries_prices_on_demand_waits)
{
    struct world world = world_of(1, 0.8);

    EXPECT(!list_told(db, world.on_demand, 0));
    EXPECT(!spot_told(db, world.spot, 0));
    expect_words(spot_told(db, world.on_demand, HOUR),
                 "not accepted: 80 of 80 spot prices are known as on-demand prices");
    EXPECT(!spot_told(db, world.spot, 2 * HOUR));
    /* Where spot costs the same for good, the second reading is accepted, and so is the next. */
    EXPECT(spot_told(db, world.on_demand, 3 * HOUR) != NULL);
    EXPECT(!spot_told(db, world.on_demand, 4 * HOUR));
    EXPECT(!spot_told(db, world.on_demand, 5 * HOUR));
    EXPECT(!list_told(db, world.on_demand, 6 * HOUR));
}

TEST(a_spot_price_far_above_on_demand_is_dropped)
{
    static const struct source *const tellers[] = {&spots, &both_kinds, &file};

    for (size_t i = 0; i < COUNT(tellers); i++) {
        NEW_DATABASE(db);
        struct world world = world_of(1, 0.4);
        struct telling telling = {.source = tellers[i], .spot = world.spot, .seconds = 60};
        struct feed_row row;

        if (tellers[i] == &spots)
            EXPECT(!list_told(db, world.on_demand, 0));
        else
            telling.on_demand = world.on_demand; /* the reading itself knows */
        world.spot[7] = world.on_demand[7] * 2.01;
        world.spot[8] = world.on_demand[8] * 2;
        EXPECT(!why_refused(db, &telling));
        EXPECT_ROWS(db, PRICES - 1, "price_series WHERE kind = 'spot'");
        EXPECT(feed_rows_find(db, tellers[i]->name, "all", &row, NULL));
        EXPECT_INT(row.tally.expensive, 1);
    }
}

TEST_WITH_DATABASE(many_spot_prices_far_above_on_demand_are_refused)
{
    struct world world = world_of(1, 0.45);
    struct telling wild = {.source = &spots, .spot = world.spot};
    double right[PRICES];

    memcpy(right, world.spot, sizeof right);
    EXPECT(!list_told(db, world.on_demand, 0));
    times(world.spot, 4.9);
    for (int hour = 0; hour < 3; hour++) { /* the first reading, and said again */
        wild.seconds = hour * HOUR;
        expect_words(why_refused(db, &wild),
                     "not accepted: 80 of 80 spot prices are more than 2 times"
                     " the price on demand");
    }
    EXPECT(!spot_told(db, right, 3 * HOUR));
    wild.accept = true;
    wild.seconds = 4 * HOUR;
    EXPECT(!why_refused(db, &wild));
}

TEST_WITH_DATABASE(a_file_is_accepted_but_for_what_costs_far_more_on_spot)
{
    struct world world = world_of(1, 0.4);

    EXPECT(!why_refused(
        db,
        &(struct telling){.source = &file, .on_demand = world.on_demand, .spot = world.spot}));
    times(world.on_demand, 0.01);
    EXPECT(!why_refused(db, &(struct telling){.source = &file,
                                              .on_demand = world.on_demand,
                                              .spot = world.spot,
                                              .seconds = 1}));
    EXPECT_ROWS(db, PRICES, "price_series WHERE nanos NOT NULL");
}

TEST_WITH_DATABASE(a_first_reading_is_weighed_by_what_other_feeds_know)
{
    static const struct source another = {.name = "another-list"};
    struct world world = world_of(1, 0.4), wrong = world_of(1.5, 0.4);
    struct telling telling = {.source = &another, .on_demand = wrong.on_demand, .seconds = 60};

    EXPECT(!list_told(db, world.on_demand, 0));
    expect_words(why_refused(db, &telling),
                 "not accepted: other feeds say otherwise of 80 of 80 prices");
    EXPECT_ROWS(db, PRICES, "price_series");
    telling.on_demand = world.on_demand;
    telling.seconds = 2 * HOUR;
    EXPECT(!why_refused(db, &telling));
    /* Two feeds may differ for good: then the second reading is accepted. */
    telling =
        (struct telling){.source = &both_kinds, .on_demand = wrong.on_demand, .seconds = 60};
    EXPECT(why_refused(db, &telling) != NULL);
    telling.seconds += HOUR;
    EXPECT(!why_refused(db, &telling));
}

TEST(a_first_reading_is_weighed_by_published_list_prices)
{
    static const char *const texts[] = {"3.57", "0.0357", "0.714", "0.178", "0.357"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        NEW_DATABASE(db);
        const struct said said = P("c7i.2xlarge", texts[i], .region = "us-east-1");
        struct feed_reading reading = {.at_us = THEN_US, .prices = &said, .count = 1};
        struct change change;
        struct error err = {0};

        EXPECT_INT(replace_with(db, &reading, &change, &err), i == COUNT(texts) - 1);
        EXPECT_INT(err.kind, i == COUNT(texts) - 1 ? ERROR_NONE : ERROR_UPSTREAM);
        reading.at_us += HOUR * SECOND_US; /* the same page says the same */
        EXPECT_INT(replace_with(db, &reading, &change, &err), i == COUNT(texts) - 1);
        reading.at_us += HOUR * SECOND_US;
        reading.accept = true; /* the price may have changed since it was noted */
        EXPECT(replace_with(db, &reading, &change, &err));
        reading.at_us += HOUR * SECOND_US;
        reading.accept = false;
        EXPECT(replace_with(db, &reading, &change, &err));
    }
}
