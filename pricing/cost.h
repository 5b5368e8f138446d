/* What training costs: from how fast it is, and what an hour costs. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>

/* A number and, where one is known, its interval. */
struct amount {
    double value, low, high;
    bool has_interval;
};

struct cost {
    struct amount samples_per_dollar;
    struct amount dollars_per_million; /* samples */
    struct amount hours_per_million;
};

#define MILLION_SAMPLES 1e6

/* The intervals are those of the speed: a price that was paid is what it was. False where there
 * is nothing to divide: a speed or a price that is not above 0. */
MUST_USE bool cost_of(const struct amount *samples_per_second, double dollars_per_hour,
                      struct cost *ret_cost);

/* What the interval of a per-dollar number mostly comes from. */
enum cost_part { COST_NOTHING, COST_SPEED, COST_PRICE };
extern const char *const cost_part_names[]; /* "nothing", "throughput", "price" */

/* The same where the price moves too (spot): samples and dollars per dollar get both spreads,
 * summed as squares of logarithms; hours only that of the speed. */
MUST_USE bool cost_of_spread(const struct amount *samples_per_second,
                             const struct amount *dollars_per_hour, struct cost *ret_cost,
                             enum cost_part *ret_dominates);

/* How fast a machine at this price would have to be, and what a machine of this speed might cost,
 * to give as many samples per dollar as another. NaN where something is not known. */
double cost_break_even_speed(double dollars_per_hour, double other_samples_per_dollar);
double cost_break_even_price(double samples_per_second, double other_samples_per_dollar);
