/* Samples, dollars and hours: the figures that others published, from what they measured. */
#include "pricing/cost.h"

#include "common/cleanup.h"
#include "tests/test.h"

#include <math.h>

static void published_speeds_and_prices_give_the_published_samples_per_dollar(void)
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

static void imagenet_once_takes_the_hours_and_dollars_it_takes(void)
{
    const struct amount speed = {.value = 40.73};
    struct cost cost;

    EXPECT(cost_of(&speed, 0.357, &cost));
    EXPECT_NEAR(cost.hours_per_million.value * 1.281167, 8.74, 0.005);
    EXPECT_NEAR(cost.dollars_per_million.value * 1.281167, 3.12, 0.005);
}

static void an_interval_goes_along_and_turns_round_where_less_is_better(void)
{
    const struct amount speed = {.value = 10, .low = 8, .high = 12.5, .has_interval = true};
    struct cost cost;

    EXPECT(cost_of(&speed, 3.6, &cost));
    EXPECT(cost.samples_per_dollar.has_interval && cost.dollars_per_million.has_interval);
    EXPECT_NEAR(cost.samples_per_dollar.low, 8000, 1e-6);
    EXPECT_NEAR(cost.samples_per_dollar.value, 10000, 1e-6);
    EXPECT_NEAR(cost.samples_per_dollar.high, 12500, 1e-6);
    EXPECT_NEAR(cost.dollars_per_million.low, 80, 1e-9);
    EXPECT_NEAR(cost.dollars_per_million.value, 100, 1e-9);
    EXPECT_NEAR(cost.dollars_per_million.high, 125, 1e-9);
    EXPECT(cost.hours_per_million.low < cost.hours_per_million.value);
    EXPECT(cost.hours_per_million.value < cost.hours_per_million.high);
}

static void an_interval_down_to_nothing_is_none(void)
{
    const struct amount speed = {.value = 10, .low = -1, .high = 21, .has_interval = true};
    struct cost cost;

    EXPECT(cost_of(&speed, 1, &cost));
    EXPECT(!cost.dollars_per_million.has_interval && !cost.samples_per_dollar.has_interval);
}

static void without_a_speed_or_a_price_there_is_no_cost(void)
{
    static const double none[] = {0, -1, NAN, INFINITY};
    const struct amount speed = {.value = 10};
    struct cost cost = {.samples_per_dollar = {.value = 7}};

    for (size_t i = 0; i < COUNT(none); i++) {
        const struct amount odd = {.value = none[i]};

        EXPECT(!cost_of(&odd, 1, &cost));
        EXPECT(!cost_of(&speed, none[i], &cost));
    }
    EXPECT_NEAR(cost.samples_per_dollar.value, 7, 0); /* left alone */
}

int main(void)
{
    RUN(published_speeds_and_prices_give_the_published_samples_per_dollar);
    RUN(imagenet_once_takes_the_hours_and_dollars_it_takes);
    RUN(an_interval_goes_along_and_turns_round_where_less_is_better);
    RUN(an_interval_down_to_nothing_is_none);
    RUN(without_a_speed_or_a_price_there_is_no_cost);
    return test_result();
}
