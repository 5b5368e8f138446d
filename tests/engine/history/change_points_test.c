#include "engine/history/change_points.h"

#include "common/error.h"
#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#include <math.h>

#define POINTS 60
#define HISTORIES 500
#define DAY_US 86400000000LL

static struct change_points find(const struct history_point *points, size_t count)
{
    struct change_points changes = {0};

    change_points_find(points, count, &changes);
    return changes;
}

/* Noise of 3 %, with a lag 1 between points, and now and then a point far off. */
static void make(long long seed, double lag1, double stray, struct history_point *points)
{
    struct chance chance = seeded(seed);
    double state = normal(&chance);

    for (size_t i = 0; i < POINTS; i++) {
        double off = uniform(&chance) < stray ? -0.5 * uniform(&chance) : 0;

        points[i] = (struct history_point){.at_us = (long long)i * DAY_US,
                                           .value = 100 * exp(0.03 * state + off)};
        state = lag1 * state + sqrt(1 - lag1 * lag1) * normal(&chance);
    }
}

static int alarms_of(double lag1, double stray)
{
    int alarms = 0;

    for (long long seed = 1; seed <= HISTORIES; seed++) {
        struct history_point points[POINTS];

        make(seed, lag1, stray, points);
        AUTO(change_points_clear) struct change_points changes = find(points, POINTS);
        alarms += changes.count > 0;
    }
    return alarms;
}

TEST(one_history_of_a_hundred_without_a_change_gets_one)
{
    static const struct {
        double lag1, stray, most;
    } rows[] = {{0, 0, 0.015}, {0, 0.05, 0.015}, {0.3, 0, 0.02}, {0.6, 0, 0.05}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        int alarms = alarms_of(rows[i].lag1, rows[i].stray);

        printf("       lag 1 of %.1f, %.2f stray: %d of %d histories\n", rows[i].lag1,
               rows[i].stray, alarms, HISTORIES);
        EXPECT(alarms <= rows[i].most * HISTORIES);
    }
}

/* Two changes, of 8 % up and 8 % down. */
TEST(changes_are_found_where_they_are)
{
    int found = 0, more = 0, held = 0;

    for (long long seed = 1; seed <= HISTORIES; seed++) {
        struct history_point points[POINTS];

        make(seed, 0, 0, points);
        for (size_t i = 20; i < 40; i++)
            points[i].value *= 1.08;
        AUTO(change_points_clear) struct change_points changes = find(points, POINTS);
        more += changes.count > 2;
        if (changes.count != 2)
            continue;
        found += llabs((long long)changes.list[0].first - 20) <= 2 &&
                 llabs((long long)changes.list[1].first - 40) <= 2;
        held += changes.list[0].ratio.low <= 1.08 && 1.08 <= changes.list[0].ratio.high;
    }
    printf("       of %d histories %d have both within two points, %d more than two; %d ratios "
           "hold\n",
           HISTORIES, found, more, held);
    EXPECT(found >= 0.85 * HISTORIES);
    EXPECT(more <= 0.05 * HISTORIES);
    EXPECT(held >= 0.9 * found);
}

/* In most of them: neighbours that look alike by chance still hide some. */
TEST(a_large_change_of_a_short_history_is_found)
{
    int found = 0;

    for (long long seed = 1; seed <= HISTORIES; seed++) {
        struct history_point points[POINTS];

        make(seed, 0, 0, points);
        for (size_t i = 10; i < 20; i++)
            points[i].value *= 1.3;
        AUTO(change_points_clear) struct change_points changes = find(points, 20);
        found += changes.count == 1 && changes.list[0].first == 10;
    }
    printf("       of %d histories of 20 points %d have it\n", HISTORIES, found);
    EXPECT(found >= 0.7 * HISTORIES);
}

TEST(a_change_has_its_date_its_ratio_and_what_changed_with_it)
{
    struct history_point points[POINTS];

    make(3, 0, 0, points);
    for (size_t i = 0; i < POINTS; i++) {
        points[i].keys[0] = i < 30 ? "oneDNN 2.6" : "oneDNN 3.1";
        points[i].keys[1] = "linux 6.1";
        points[i].keys[2] = i % 2 ? "zone a" : "zone b";
        points[i].keys[3] = i < 31 ? NULL : "known"; /* one point later */
        points[i].keys[4] = i < 15 ? "old" : "new";
        points[i].keys[5] = i < 10 ? "a" : i < 30 ? "b" : "c"; /* b was at the old level too */
        points[i].value *= i < 30 ? 1 : 1.3;
    }
    AUTO(change_points_clear) struct change_points changes = find(points, POINTS);
    EXPECT_INT((long long)changes.count, 1);
    if (changes.count != 1)
        return;
    EXPECT_INT((long long)changes.list[0].first, 30);
    EXPECT_INT(changes.list[0].at_us, 30 * DAY_US);
    EXPECT_NEAR(changes.list[0].ratio.value, 1.3, 0.03);
    EXPECT_INT(changes.list[0].explained, 1 << 0 | 1 << 3);
}

/* The same values: a level that hardly counts is no level. */
TEST(points_that_are_unsure_count_for_less)
{
    struct history_point points[POINTS];

    make(4, 0, 0, points);
    for (size_t i = 44; i < 54; i++)
        points[i].value *= 1.2;
    AUTO(change_points_clear) struct change_points sure = find(points, POINTS);
    for (size_t i = 44; i < 54; i++)
        points[i].sd = 0.3;
    AUTO(change_points_clear) struct change_points unsure = find(points, POINTS);
    EXPECT_INT((long long)sure.count, 2);
    EXPECT_INT((long long)unsure.count, 0);
}

TEST(few_points_and_equal_points_have_no_change)
{
    struct history_point points[POINTS];

    make(5, 0, 0, points);
    for (size_t i = 30; i < POINTS; i++)
        points[i].value *= 3;
    for (size_t count = 0; count < 2 * CHANGE_SIDE_MIN; count++) {
        AUTO(change_points_clear)
        struct change_points changes = find(points + 30 - count / 2, count);
        EXPECT_INT((long long)changes.count, 0);
    }
    for (size_t i = 0; i < POINTS; i++)
        points[i].value = 100;
    AUTO(change_points_clear) struct change_points equal = find(points, POINTS);
    EXPECT_INT((long long)equal.count, 0);
    for (size_t i = 25; i < POINTS; i++)
        points[i].value = 101;
    AUTO(change_points_clear) struct change_points step = find(points, POINTS);
    EXPECT_INT((long long)step.count, 1);
}
