/* How a price moved: means weighted by time, spreads, and the share of time above a limit. */
#include "db/prices/price_course.h"

#include "tests/db/offers.h"

static long long series_of(struct db *db)
{
    return number_of(db, "SELECT max(number) FROM price_series");
}

/* At 0 s 1 dollar, at 100 s 3 dollars, at 150 s none, at 160 s 2 dollars; looked at from 200 s.
 */
static long long a_series(struct db *db)
{
    PUT(db, "typed", "aws", "a", "1", .kind = PRICE_TYPED, .source_us = THEN_US);
    PUT(db, "typed", "aws", "a", "3", .kind = PRICE_TYPED,
        .source_us = THEN_US + 100 * SECOND_US);
    PUT(db, "typed", "aws", "a", NULL, .kind = PRICE_TYPED,
        .source_us = THEN_US + 150 * SECOND_US);
    PUT(db, "typed", "aws", "a", "2", .kind = PRICE_TYPED,
        .source_us = THEN_US + 160 * SECOND_US);
    return series_of(db);
}

static struct price_window looked(struct db *db, long long series, long long seconds,
                                  long long length)
{
    struct price_window window = {.length_us = length * SECOND_US};

    EXPECT_OK(price_course(
        db, &(struct price_course_question){series, THEN_US + seconds * SECOND_US, 2000000000}, 1,
        &window, &err));
    return window;
}

TEST_WITH_DATABASE(means_are_weighted_by_time)
{
    long long series = a_series(db);
    struct price_window window = looked(db, series, 200, 200);

    EXPECT(window.known);
    EXPECT_NEAR(window.mean, price_exact((100 * 1 + 50 * 3 + 40 * 2) / 190.0), 1e-12);
    EXPECT_HAS(window, (low, 1), (high, 3), (known_us, 190e6));
    EXPECT_NEAR(window.above, 50 / 190.0, 1e-12);
    window = looked(db, series, 200, 40); /* since it is what it is */
    EXPECT_HAS(window, (mean, 2), (above, 0));
    window = looked(db, series, 200, 1000); /* it was not known before */
    EXPECT_NEAR(window.known_us, 190e6, 0);
    EXPECT(!looked(db, series, 155, 5).known);
    EXPECT(!looked(db, series + 1, 200, 200).known);
    EXPECT(!looked(db, series, -1, 200).known);
    window = looked(db, series, 50, 100); /* what came later is not looked at */
    EXPECT_NEAR(window.high, 1, 0);
}

TEST_WITH_DATABASE(several_windows_are_looked_at_at_once)
{
    long long series = a_series(db);
    struct price_window windows[] = {{.length_us = 10 * SECOND_US},
                                     {.length_us = 90 * SECOND_US},
                                     {.length_us = 190 * SECOND_US}};

    EXPECT(price_course(
        db, &(struct price_course_question){.series = series, .at_us = THEN_US + 200 * SECOND_US},
        COUNT(windows), windows, NULL));
    EXPECT_NEAR(windows[0].mean, 2, 0);
    EXPECT_NEAR(windows[1].mean, price_exact((40 * 3 + 40 * 2) / 80.0), 1e-12);
    EXPECT_NEAR(windows[2].low, 1, 0);
    EXPECT_NEAR(windows[2].above, 0, 0); /* no limit was given */
}
