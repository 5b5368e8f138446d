/* Samples, dollars and hours: the figures that others published, from what they measured. */
#include "pricing/cost.h"

#include "tests/test.h"

#include <math.h>

TEST(published_speeds_and_prices_give_the_published_samples_per_dollar)
{
    static const struct {
        double speed, dollars, samples_per_dollar;
    } rows[] = {
        {40.73, 0.357, 410723}, {40.73, 0.1291, 1135771}, {9.12, 0.357, 91966},
        {24.34, 0.357, 245445}, {37.93, 0.357, 382487},   {39.05, 0.357, 393782},
        {340, 1.212, 1009901},  {39.05, 0.1291, 1088923}, {9.12, 0.1291, 254314},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct amount speed = {.value = rows[i].speed};
        struct cost cost;

        EXPECT(cost_of(&speed, rows[i].dollars, &cost));
        EXPECT_NEAR(cost.samples_per_dollar.value, rows[i].samples_per_dollar, 1);
        EXPECT_NEAR(cost.dollars_per_million.value * cost.samples_per_dollar.value, 1e6, 1e-3);
        EXPECT(!cost.samples_per_dollar.has_interval);
    }
}

TEST(imagenet_once_takes_the_hours_and_dollars_it_takes)
{
    const struct amount speed = {.value = 40.73};
    struct cost cost;

    EXPECT(cost_of(&speed, 0.357, &cost));
    EXPECT_NEAR(cost.hours_per_million.value * 1.281167, 8.74, 0.005);
    EXPECT_NEAR(cost.dollars_per_million.value * 1.281167, 3.12, 0.005);
}

TEST(an_interval_goes_along_and_turns_round_where_less_is_better)
{
    const struct amount speed = {.value = 10, .low = 8, .high = 12.5, .has_interval = true};
    struct cost cost;

    EXPECT(cost_of(&speed, 3.6, &cost));
    EXPECT(cost.samples_per_dollar.has_interval && cost.dollars_per_million.has_interval);
    EXPECT_ABOUT(cost.samples_per_dollar, 1e-6, (low, 8000), (value, 10000), (high, 12500));
    EXPECT_ABOUT(cost.dollars_per_million, 1e-9, (low, 80), (value, 100), (high, 125));
    EXPECT(cost.hours_per_million.low < cost.hours_per_million.value);
    EXPECT(cost.hours_per_million.value < cost.hours_per_million.high);
}

TEST(an_interval_down_to_nothing_is_none)
{
    const struct amount speed = {.value = 10, .low = -1, .high = 21, .has_interval = true};
    struct cost cost;

    EXPECT(cost_of(&speed, 1, &cost));
    EXPECT(!cost.dollars_per_million.has_interval && !cost.samples_per_dollar.has_interval);
}

TEST(without_a_speed_or_a_price_there_is_no_cost)
{
    const struct amount speed = {.value = 10};
    struct cost cost = {.samples_per_dollar = {.value = 7}};

    EACH(double, none, 0, -1, NAN, INFINITY) {
        const struct amount odd = {.value = none};

        EXPECT(!cost_of(&odd, 1, &cost));
        EXPECT(!cost_of(&speed, none, &cost));
    }
    EXPECT_NEAR(cost.samples_per_dollar.value, 7, 0); /* left alone */
}

TEST(what_both_spreads_make_is_the_root_of_their_squares)
{
    const struct amount speed = {.value = 10, .low = 8, .high = 12.5, .has_interval = true};
    const struct amount price = {.value = 3.6, .low = 1.8, .high = 7.2, .has_interval = true};
    const double far = exp(sqrt(log(1.25) * log(1.25) + log(2) * log(2)));
    enum cost_part dominates = COST_NOTHING;
    struct cost cost;

    EXPECT(cost_of_spread(&speed, &price, &cost, &dominates));
    EXPECT_ABOUT(cost.samples_per_dollar, 1e-6, (value, 10000), (low, 10000 / far),
                 (high, 10000 * far));
    EXPECT_ABOUT(cost.dollars_per_million, 1e-9, (value, 100), (low, 100 / far),
                 (high, 100 * far));
    EXPECT(cost.samples_per_dollar.has_interval && cost.dollars_per_million.has_interval);
    EXPECT_STR(cost_part_names[dominates], "price");
    /* A price makes no hours. */
    EXPECT_NEAR(cost.hours_per_million.low, 1e6 / 12.5 / 3600, 1e-9);
    EXPECT_NEAR(cost.hours_per_million.high, 1e6 / 8 / 3600, 1e-9);
}

/* Slow goes with expensive: a price that may only rise leaves the best case alone. */
TEST(each_end_comes_of_the_ends_that_lead_there)
{
    const struct amount speed = {.value = 10, .low = 10, .high = 10, .has_interval = true};
    const struct amount price = {.value = 1, .low = 1, .high = 4, .has_interval = true};
    enum cost_part dominates = COST_NOTHING;
    struct cost cost;

    EXPECT(cost_of_spread(&speed, &price, &cost, &dominates));
    EXPECT_ABOUT(cost.samples_per_dollar, 1e-6, (low, 9000), (high, 36000));
    EXPECT_INT(dominates, COST_PRICE);
}

TEST(a_price_that_was_paid_adds_nothing)
{
    const struct amount speed = {.value = 10, .low = 8, .high = 12.5, .has_interval = true};
    const struct amount price = {.value = 3.6};
    enum cost_part dominates = COST_NOTHING;
    struct cost cost, plain;

    EXPECT(cost_of_spread(&speed, &price, &cost, &dominates));
    EXPECT(cost_of(&speed, 3.6, &plain));
    EXPECT_NEAR(cost.samples_per_dollar.low, plain.samples_per_dollar.low, 0);
    EXPECT_NEAR(cost.dollars_per_million.high, plain.dollars_per_million.high, 0);
    EXPECT_STR(cost_part_names[dominates], "throughput");
}

TEST(a_half_known_value_has_no_interval)
{
    static const struct amount good = {10, 8, 12, true};
    enum cost_part dominates;
    struct cost cost;

    EACH(struct amount, odd, {10, 0, 0, false}, {10, -1, 12, true}, {10, 0, 12, true},
         {10, 8, INFINITY, true}, {10, 11, 12, true}, {10, 8, 9, true}, {10, NAN, NAN, true}) {
        dominates = COST_PRICE;
        EXPECT(cost_of_spread(&odd, &good, &cost, &dominates));
        EXPECT(!cost.samples_per_dollar.has_interval && !cost.dollars_per_million.has_interval);
        EXPECT(!cost.hours_per_million.has_interval);
        EXPECT_STR(cost_part_names[dominates], "nothing");
        EXPECT_NEAR(cost.samples_per_dollar.value, 3600, 1e-9);
        if (!odd.has_interval)
            continue;
        EXPECT(cost_of_spread(&good, &odd, &cost, &dominates));
        EXPECT(!cost.samples_per_dollar.has_interval && !cost.dollars_per_million.has_interval);
        EXPECT(cost.hours_per_million.has_interval);
        EXPECT_INT(dominates, COST_NOTHING);
    }
}

TEST(without_a_price_that_moves_there_is_no_cost_either)
{
    const struct amount good = {10, 8, 12, true};
    enum cost_part dominates = COST_PRICE;
    struct cost cost = {.samples_per_dollar = {.value = 7}};

    EACH(double, none, 0, -1, NAN, INFINITY) {
        const struct amount odd = {none, 8, 12, true};

        EXPECT(!cost_of_spread(&good, &odd, &cost, &dominates));
        EXPECT(!cost_of_spread(&odd, &good, &cost, &dominates));
    }
    EXPECT_NEAR(cost.samples_per_dollar.value, 7, 0); /* left alone */
    EXPECT_INT(dominates, COST_PRICE);
}

TEST(what_a_machine_must_do_or_may_cost_to_keep_up)
{
    const struct amount gpu = {.value = 929};
    struct cost cost;

    EXPECT(cost_of(&gpu, 1.212, &cost));
    EXPECT_NEAR(cost_break_even_speed(0.357, cost.samples_per_dollar.value), 273.6, 0.05);
    EXPECT_NEAR(cost_break_even_speed(0.1291, cost.samples_per_dollar.value), 99.0, 0.05);
    EXPECT_NEAR(cost_break_even_price(40.73, cost.samples_per_dollar.value), 0.0531, 0.00005);
    EXPECT_NEAR(cost_break_even_price(929, cost.samples_per_dollar.value), 1.212, 1e-12);
    EACH(double, none, 0, -1, NAN, INFINITY) {
        EXPECT(isnan(cost_break_even_speed(none, 1)) && isnan(cost_break_even_speed(1, none)));
        EXPECT(isnan(cost_break_even_price(none, 1)) && isnan(cost_break_even_price(1, none)));
    }
}
