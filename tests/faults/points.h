/* Which points of a fault loop a test takes: each of them; where PENNYWORTH_TEST_SEED is set,
 * every 25th from a start that the seed decides; where PENNYWORTH_TEST_POINT is set, that one
 * alone. */
#pragma once

#include "tests/test.h"

#include <limits.h>
#include <stdlib.h>

#define POINTS_SHARE 25

struct points {
    long long first, every;
    bool alone; /* so the loop does not reach its end */
};

static inline struct points points_chosen(void)
{
    const char *seed = getenv("PENNYWORTH_TEST_SEED"), *point = getenv("PENNYWORTH_TEST_POINT");
    static bool said;
    struct points points = {.every = 1};

    if (point) {
        points =
            (struct points){.first = strtoll(point, NULL, 10), .every = INT_MAX, .alone = true};
    } else if (seed) {
        points = (struct points){.first = strtoll(seed, NULL, 10) % POINTS_SHARE,
                                 .every = POINTS_SHARE};
        if (!said)
            printf("every %dth point from %lld, by the seed %s\n", POINTS_SHARE, points.first,
                   seed);
        said = true;
    }
    return points;
}

/* To call after each point: names one that failed, so that it can be run alone. */
static inline void point_judge(const char *name, long long point, int failures_before)
{
    if (test_failures > failures_before)
        printf("       %s fails at this point; alone: PENNYWORTH_TEST_POINT=%lld\n", name, point);
}
