#include "pricing/pareto.h"

#include "tests/test.h"

#include <math.h>

TEST(a_row_that_another_beats_in_both_is_not_on_the_front)
{
    struct pareto_point points[] = {
        {5, 5, true}, {1, 9, false}, {9, 1, false}, {4, 4, false}, {4, 6, true}, {10, 1, true},
    };
    static const bool front[] = {false, true, true, true, false, false};

    pareto_mark(points, COUNT(points));
    for (size_t i = 0; i < COUNT(points); i++)
        EXPECT_INT(points[i].on_front, front[i]);
}

TEST(equal_points_are_there_together)
{
    struct pareto_point points[] = {{2, 3, false}, {2, 3, false}, {2, 4, true}, {3, 3, true},
                                    {2, 3, false}, {4, 2, false}, {4, 2, false}};
    static const bool front[] = {true, true, false, false, true, true, true};

    pareto_mark(points, COUNT(points));
    for (size_t i = 0; i < COUNT(points); i++)
        EXPECT_INT(points[i].on_front, front[i]);
}

TEST(a_row_with_unknown_values_is_not_on_the_front)
{
    EACH(double, odd, NAN, 0, -1, INFINITY, -INFINITY) {
        struct pareto_point points[] = {{odd, 1, true}, {1, odd, true}, {7, 8, false}};

        pareto_mark(points, COUNT(points));
        EXPECT(!points[0].on_front && !points[1].on_front && points[2].on_front);
    }
    pareto_mark(NULL, 0);
}

static bool is_bettered(const struct pareto_point *points, size_t count, size_t which)
{
    const struct pareto_point *p = &points[which];

    for (size_t i = 0; i < count; i++)
        if (points[i].hours <= p->hours && points[i].dollars <= p->dollars &&
            (points[i].hours < p->hours || points[i].dollars < p->dollars))
            return true;
    return false;
}

TEST(the_front_is_the_one_that_the_slow_way_finds)
{
    struct pareto_point points[300];
    unsigned state = 1;
    size_t on_front = 0;

    for (size_t i = 0; i < COUNT(points); i++) {
        state = state * 1664525u + 1013904223u;
        points[i].hours = 1 + (state >> 16) % 40; /* few values: many are equal in one */
        state = state * 1664525u + 1013904223u;
        points[i].dollars = 60 - points[i].hours + (state >> 16) % 20;
    }
    pareto_mark(points, COUNT(points));
    for (size_t i = 0; i < COUNT(points); i++) {
        EXPECT_INT(points[i].on_front, !is_bettered(points, COUNT(points), i));
        on_front += points[i].on_front;
    }
    EXPECT(on_front > 5 && on_front < COUNT(points) / 2);
}
