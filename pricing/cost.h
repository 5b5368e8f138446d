/* What training costs: from how fast it is, and what an hour costs. */
#pragma once

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
bool cost_of(const struct amount *samples_per_second, double dollars_per_hour,
             struct cost *ret_cost) __attribute__((warn_unused_result));
