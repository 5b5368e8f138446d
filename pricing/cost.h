/* What training costs: from its speed and the hourly price. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>

/* A number and its interval, if known. */
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

/* The intervals come from the speed alone; the paid price is exact. False unless speed and price
 * are above 0. */
MUST_USE bool cost_of(const struct amount *samples_per_second, double dollars_per_hour,
                      struct cost *ret_cost);

/* The main source of the interval of a per-dollar number. */
enum cost_part { COST_NOTHING, COST_SPEED, COST_PRICE };
extern const char *const cost_part_names[]; /* "nothing", "throughput", "price" */

/* The same with a moving price (spot): samples and dollars per dollar combine both spreads, as
 * squares of logarithms; hours have only the spread of the speed. */
MUST_USE bool cost_of_spread(const struct amount *samples_per_second,
                             const struct amount *dollars_per_hour, struct cost *ret_cost,
                             enum cost_part *ret_dominates);

/* The speed that a machine at this price needs, and the price that a machine of this speed may
 * have, to give as many samples per dollar as another. NaN if something is unknown. */
double cost_break_even_speed(double dollars_per_hour, double other_samples_per_dollar);
double cost_break_even_price(double samples_per_second, double other_samples_per_dollar);
