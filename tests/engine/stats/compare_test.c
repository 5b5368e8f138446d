#include "engine/stats/compare.h"

#include "tests/engine/trace/traces.h"
#include "tests/test.h"

/* What the gate makes of it is in gate_test.c. */
TEST(the_interval_of_a_ratio_holds_the_truth_as_often_as_it_says)
{
    int of_runs = 0, of_pairs = 0;

    for (long long seed = 1; seed <= 4000; seed++) {
        struct chance chance = seeded(seed);
        double a[5], b[5];

        runs_of(&chance, 120, 0.03, a, 5);
        runs_of(&chance, 100, 0.01, b, 5);
        struct ratio runs = compare_runs(a, 5, b, 5), pairs = compare_pairs(a, b, 5);
        of_runs += runs.low <= 1.2 && runs.high >= 1.2;
        of_pairs += pairs.low <= 1.2 && pairs.high >= 1.2;
    }
    EXPECT_NEAR(of_runs / 4000.0, 0.95, 0.02);
    EXPECT_NEAR(of_pairs / 4000.0, 0.95, 0.015);
}

TEST(the_verdict_is_one_of_three)
{
    const struct ratio better = {true, 1.1, 1.04, 1.2}, worse = {true, 0.9, 0.8, 0.96};
    const struct ratio across = {true, 1.1, 0.99, 1.2}, near = {true, 1.02, 1.01, 1.03};
    const struct ratio unknown = {false, 2, 0, 0};

    EXPECT_STR(compare_name(compare_judge(&better, 0.03)), "better");
    EXPECT_STR(compare_name(compare_judge(&worse, 0.03)), "worse");
    EXPECT_STR(compare_name(compare_judge(&across, 0.03)), "cannot_be_told_apart");
    EXPECT_INT(compare_judge(&near, 0.03), COMPARE_TIED);
    EXPECT_INT(compare_judge(&near, 0), COMPARE_BETTER);
    EXPECT_INT(compare_judge(&unknown, 0.03), COMPARE_TIED);
}

TEST(two_values_are_as_sure_as_their_intervals)
{
    const struct measure a = {200, 190, 210}, b = {100, 98, 102}, bare = {100, 0, 0};
    struct ratio ratio = compare_measures(&a, &b), unknown = compare_measures(&a, &bare);

    EXPECT(ratio.known);
    EXPECT_NEAR(ratio.value, 2, 1e-12);
    EXPECT_NEAR(ratio.high / ratio.value - 1, hypot(0.05, 0.02), 0.002);
    EXPECT(!unknown.known);
    EXPECT_NEAR(unknown.value, 2, 1e-12);
}

TEST(one_of_each_says_nothing_of_the_next)
{
    const double one[] = {100}, two[] = {100, 101};

    EXPECT(!compare_runs(one, 1, two, 2).known);
    EXPECT(!compare_pairs(one, two, 1).known);
    EXPECT(compare_pairs(two, two, 2).known);
    EXPECT_NEAR(compare_pairs(two, two, 2).high, 1, 1e-12);
}

/* The candidate may be a quarter faster than it ran: the ratio may be so much higher, not lower.
 */
TEST(an_interval_that_reaches_up_makes_a_ratio_that_reaches_up)
{
    const struct measure disturbed = {100, 99, 126}, quiet = {100, 99, 101};
    struct ratio ratio = compare_measures(&disturbed, &quiet);
    struct ratio inverse = compare_measures(&quiet, &disturbed);

    EXPECT_NEAR(ratio.value, 1, 0);
    EXPECT_NEAR(ratio.low, 0.986, 1e-3);
    EXPECT_NEAR(ratio.high, 1.26, 1e-3);
    EXPECT_NEAR(inverse.low, 1 / ratio.high, 1e-12);
    EXPECT_NEAR(inverse.high, 1 / ratio.low, 1e-12);
    EXPECT_NEAR(compare_stretch(&quiet), 0, 0);
    EXPECT_NEAR(compare_stretch(&disturbed), log(1.26 * 0.99), 1e-12);
    EXPECT_NEAR(compare_stretch(&(struct measure){100, 0, 0}), 0, 0);
}
