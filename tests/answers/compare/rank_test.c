#include "tests/answers/compare/comparison.h"

/* Three prices of 1 dollar, so that samples per dollar are in the order of the speeds. */
static void offer_dollars(struct stage *stage, const char *const *instances)
{
    for (; *instances; instances++)
        OFFERED(stage, *instances, .on_demand = 1);
}

TEST_WITH_STAGE(a_rank_counts_the_rows_that_are_surely_better_and_surely_worse)
{
    offer_dollars(stage, (const char *const[]){"a", "b", "c", "d", "e", NULL});
    MEASURED(stage, "c", 50, .low = 49.9, .high = 50.1);
    USUAL(stage, "a");
    MEASURED(stage, "e", 20, .low = 19.9, .high = 20.1);
    MEASURED(stage, "b", 99, .low = 98, .high = 100);
    MEASURED(stage, "d", 49.5, .low = 49.4, .high = 49.6);
    compare(stage, "");
    EXPECT_HAS(stage->ranking, (ranked, 5), (rows[0].contender->instance, "a"),
               (rows[4].contender->instance, "e"));
    EXPECT_RANKS(row_of(stage, "a"), 1, 2);
    EXPECT_RANKS(row_of(stage, "b"), 1, 2);
    EXPECT_RANKS(row_of(stage, "c"), 3, 4);
    EXPECT_RANKS(row_of(stage, "d"), 3, 4);
    EXPECT_RANKS(row_of(stage, "e"), 5, 5);
    EXPECT(row_of(stage, "a")->rank.may_be_best && row_of(stage, "b")->rank.may_be_best);
    EXPECT(!row_of(stage, "c")->rank.may_be_best);
}

/* Two processors of one type on spot: the price moves, and moves both alike. */
TEST_WITH_STAGE(a_price_that_two_rows_share_does_not_blur_them)
{
    OFFERED(stage, "a", .spot = 0.1, .low = 0.05, .high = 0.2);
    OFFERED(stage, "b", .spot = 0.1, .low = 0.05, .high = 0.2);
    USUAL(stage, "a", .stratum = "s1", .engine = "native");
    MEASURED(stage, "a", 70, .low = 69, .high = 71, .stratum = "s2", .engine = "slower");
    MEASURED(stage, "b", 70, .low = 69, .high = 71);
    compare(stage, "price=spot");
    EXPECT_RANKS(row_of(stage, "a"), 1, 2);
    EXPECT_RANKS(row_of(stage, "b"), 1, 3);
}

/* Three machines of each: what they say of each other does not depend on how their price moves.
 */
TEST_WITH_STAGE(a_price_that_two_rows_share_makes_them_no_surer)
{
    OFFERED(stage, "a", .on_demand = 0.3, .spot = 0.1, .low = 0.05, .high = 0.2);
    MEASURED(stage, "a", 106.55, .low = 102.06, .high = 111.24, .level = STANDING_VMS, .vms = 3,
             .stratum = "s1");
    MEASURED(stage, "a", 100, .low = 95.79, .high = 104.4, .level = STANDING_VMS, .vms = 3,
             .stratum = "s2");
    compare(stage, "price=on_demand");
    EXPECT_RANKS(&stage->ranking.rows[1], 1, 2);
    compare(stage, "price=spot");
    EXPECT_RANKS(&stage->ranking.rows[1], 1, 2);
}

TEST_WITH_STAGE(the_margin_decides_what_is_behind)
{
    offer_dollars(stage, (const char *const[]){"a", "b", NULL});
    MEASURED(stage, "a", 100, .low = 99.99, .high = 100.01, .level = STANDING_VMS, .vms = 3);
    MEASURED(stage, "b", 96, .low = 95.99, .high = 96.01, .level = STANDING_VMS, .vms = 3);
    compare(stage, "margin=3");
    EXPECT_RANKS(row_of(stage, "b"), 2, 2);
    compare(stage, "margin=5");
    EXPECT_RANKS(row_of(stage, "b"), 1, 2);
}

/* A tight interval of one machine says nothing of the next machine of the type. */
TEST_WITH_STAGE(one_machine_is_as_unsure_as_machines_differ)
{
    offer_dollars(stage, (const char *const[]){"a", "b", NULL});
    MEASURED(stage, "a", 100, .low = 99.9, .high = 100.1);
    MEASURED(stage, "b", 90, .low = 89.9, .high = 90.1);
    compare(stage, "vm_spread=0");
    EXPECT_RANKS(row_of(stage, "b"), 2, 2);
    EXPECT_NEAR(row_of(stage, "a")->between.low, 99.9, 1e-9);
    compare(stage, "vm_spread=10");
    EXPECT_RANKS(row_of(stage, "b"), 1, 2);
    EXPECT_NEAR(row_of(stage, "a")->between.low, 100 * exp(-0.1 * Z_95), 0.01);
    EXPECT_NEAR(row_of(stage, "a")->speed.low, 99.9, 1e-9); /* as measured */
}

TEST_WITH_STAGE(published_figures_are_never_ranked)
{
    offer_dollars(stage, (const char *const[]){"a", "b", NULL});
    MEASURED(stage, "a", 10, .low = 9.9, .high = 10.1);
    PUBLISHED(stage, "b", 1000);
    compare(stage, "");
    EXPECT_INT((long long)stage->ranking.ranked, 1);
    EXPECT_RANKS(row_of(stage, "a"), 1, 1);
    EXPECT_RANKS(row_of(stage, "b"), 0, 0);
    EXPECT_STR(row_of(stage, "b")->why_no_rank, "published, no interval");
    EXPECT_STR(stage->ranking.rows[1].contender->instance, "b");
    EXPECT(row_of(stage, "b")->has_cost);
}

TEST_WITH_STAGE(a_row_without_a_price_is_not_ranked_and_says_why)
{
    OFFERED(stage, "a", .on_demand = 1);
    OFFERED(stage, "b", .spot = 0.1, .why_not = "no feed has on_demand of b");
    MEASURED(stage, "a", 10, .low = 9.9, .high = 10.1);
    MEASURED(stage, "b", 1000, .low = 999, .high = 1001);
    compare(stage, "");
    EXPECT_RANKS(row_of(stage, "b"), 0, 0);
    EXPECT_STR(row_of(stage, "b")->why_no_rank, "no feed has on_demand of b");
    EXPECT(isnan(row_of(stage, "b")->score));
    compare(stage, "sort=throughput"); /* which needs none */
    EXPECT_RANKS(row_of(stage, "b"), 1, 1);
    EXPECT_STR(row_of(stage, "b")->why_no_rank, "");
    EXPECT_RANKS(row_of(stage, "a"), 2, 2);
}

TEST_WITH_STAGE(a_row_without_an_interval_or_a_valid_run_is_not_ranked)
{
    offer_dollars(stage, (const char *const[]){"a", "b", "c", NULL});
    MEASURED(stage, "a", 10);
    MEASURED(stage, "b", 0, .nothing = true, .invalid = 4);
    MEASURED(stage, "c", 0, .nothing = true); /* its runs were voided */
    compare(stage, "");
    EXPECT_INT((long long)stage->ranking.ranked, 0);
    EXPECT_STR(row_of(stage, "a")->why_no_rank,
               "no interval: too few steps, or steps that differ too much");
    EXPECT_STR(row_of(stage, "b")->why_no_rank, "no valid run: 4 were invalid or never judged");
    EXPECT(isnan(row_of(stage, "b")->score));
    EXPECT_HAS(stage->ranking, (count, 2), (filtered, 0));
    EXPECT_STR(stage->ranking.rows[0].contender->instance, "a"); /* it has a number */
}

TEST_WITH_STAGE(a_utility_may_be_below_0)
{
    offer_dollars(stage, (const char *const[]){"a", "b", "c", NULL});
    USUAL(stage, "a");
    MEASURED(stage, "b", 99, .low = 98, .high = 100);
    MEASURED(stage, "c", 50, .low = 49, .high = 51);
    compare(stage, "utility=0-hours&vm_spread=0");
    EXPECT_INT(stage->question.order, ORDER_UTILITY);
    EXPECT(row_of(stage, "a")->score < 0);
    EXPECT_NEAR(row_of(stage, "a")->utility, -row_of(stage, "a")->job.hours, 1e-9);
    EXPECT_RANKS(row_of(stage, "a"), 1, 2);
    EXPECT_RANKS(row_of(stage, "b"), 1, 2);
    EXPECT_RANKS(row_of(stage, "c"), 3, 3);
    EXPECT(row_of(stage, "a")->score_low < row_of(stage, "a")->score);
    EXPECT(row_of(stage, "a")->score_high > row_of(stage, "a")->score);
}

/* The ends of an interval may be no number although the middle is one. */
TEST_WITH_STAGE(a_utility_that_is_no_number_at_an_end_is_not_ranked)
{
    offer_dollars(stage, (const char *const[]){"a", "b", "c", NULL});
    MEASURED(stage, "a", 100, .low = 50, .high = 150);
    MEASURED(stage, "b", 40, .low = 39, .high = 41);
    MEASURED(stage, "c", 200, .low = 199, .high = 201);
    compare(stage, "utility=log(samples_per_second%20-%2060)&vm_spread=0");
    EXPECT_INT((long long)stage->ranking.ranked, 1);
    EXPECT_RANKS(row_of(stage, "c"), 1, 1);
    EXPECT_RANKS(row_of(stage, "a"), 0, 0);
    EXPECT_NEAR(row_of(stage, "a")->utility, log(40), 1e-9);
    EXPECT_STR(row_of(stage, "a")->why_no_rank, "the utility is no number all over the interval");
    EXPECT_STR(row_of(stage, "b")->why_no_rank, "the utility is no number here");
}

TEST_WITH_STAGE(nothing_unknown_is_0_in_a_utility)
{
    SOLD(stage, "known", .spot = 0.1, .on_demand = 1, .band = "<5%");
    SOLD(stage, "unknown", .spot = 0.1, .on_demand = 1);
    PUBLISHED(stage, "unknown", 100);
    compare(stage, "price=spot&utility=samples_per_second*(1-interruption_share)");
    EXPECT_NEAR(row_of(stage, "known")->utility, 95, 1e-9);
    EXPECT(isnan(row_of(stage, "unknown")->utility)); /* its rate of interruptions is unknown */
    compare(stage, "price=on_demand&utility=samples_per_second*(1-interruption_share)");
    EXPECT_NEAR(row_of(stage, "unknown")->utility, 100, 1e-9); /* it never is */
    compare(stage, "provenance=published&utility=samples_per_second%2Bvms%2Bruns");
    EXPECT(isnan(row_of(stage, "unknown")->utility));
    compare(stage, "instance_type=known&utility=samples_per_second%2Bvms%2Bruns");
    EXPECT_NEAR(row_of(stage, "known")->utility, 102, 1e-9);
}

TEST_WITH_STAGE(the_value_of_waiting_changes_the_order)
{
    OFFERED(stage, "cheap", .on_demand = 0.1);
    OFFERED(stage, "fast", .on_demand = 2);
    MEASURED(stage, "cheap", 10, .low = 9.99, .high = 10.01);
    MEASURED(stage, "fast", 100, .low = 99.9, .high = 100.1);
    compare(stage, "");
    EXPECT_RANKS(row_of(stage, "cheap"), 1, 1);
    EXPECT_RANKS(row_of(stage, "fast"), 2, 2);
    compare(stage, "hourly_value=50");
    EXPECT_INT(stage->question.order, ORDER_TOTAL_DOLLARS);
    EXPECT_RANKS(row_of(stage, "fast"), 1, 1);
    EXPECT_RANKS(row_of(stage, "cheap"), 2, 2);
    EXPECT_NEAR(row_of(stage, "fast")->job.total_dollars, 1e6 / 100 / 3600 * 52, 1e-6);
}

TEST_WITH_STAGE(a_price_that_moves_widens_a_score_to_both_sides)
{
    OFFERED(stage, "a", .spot = 0.1, .low = 0.08, .high = 0.12);
    MEASURED(stage, "a", 100, .low = 100, .high = 100, .level = STANDING_VMS, .vms = 3);
    compare(stage, "price=spot");
    const struct comparison_row *row = row_of(stage, "a");
    EXPECT_ABOUT(*row, 1e-3, (score, 3600000), (score_low, 3600000 * 0.1 / 0.12),
                 (score_high, 3600000 * 0.1 / 0.08));
    compare(stage, "price=spot&utility=0-price_per_hour");
    row = row_of(stage, "a");
    EXPECT_ABOUT(*row, 1e-9, (score_low, -0.12), (score_high, -0.08));
    compare(stage, "price=spot&utility=price_per_hour"); /* the costlier the better */
    EXPECT_ABOUT(*row_of(stage, "a"), 1e-9, (score_low, 0.08), (score_high, 0.12));
    compare(stage, "price=spot&sort=throughput");
    EXPECT_NEAR(row_of(stage, "a")->score_high, 100, 1e-9);
}

TEST_WITH_STAGE(the_front_has_rows_that_no_other_beats_in_time_and_money)
{
    OFFERED(stage, "cheap", .on_demand = 0.1);
    OFFERED(stage, "fast", .on_demand = 2);
    OFFERED(stage, "bad", .on_demand = 3);
    MEASURED(stage, "cheap", 10, .low = 9.99, .high = 10.01);
    MEASURED(stage, "fast", 100, .low = 99.9, .high = 100.1);
    MEASURED(stage, "bad", 50, .low = 49.9, .high = 50.1);
    MEASURED(stage, "priceless", 500, .low = 499, .high = 501);
    compare(stage, "");
    EXPECT(row_of(stage, "cheap")->is_on_front);
    EXPECT(row_of(stage, "fast")->is_on_front);
    EXPECT(!row_of(stage, "bad")->is_on_front);
    EXPECT(!row_of(stage, "priceless")->is_on_front);
}

/* A whole job in an hour is not a million samples in an hour. */
TEST_WITH_STAGE(jobs_and_samples_have_fronts_of_their_own)
{
    offer_dollars(stage, (const char *const[]){"a", "b", NULL});
    USUAL(stage, "a");
    stage_see(stage, &(struct seen){.instance = "b", .value = 1.0 / 60, .unit = "job"});
    compare(stage, "");
    EXPECT_NEAR(row_of(stage, "b")->job.hours, 1.0 / 60, 1e-9);
    EXPECT(row_of(stage, "b")->job.dollars < row_of(stage, "a")->job.dollars);
    EXPECT(row_of(stage, "a")->is_on_front);
    EXPECT(row_of(stage, "b")->is_on_front);
}

/* One published GPU is faster and cheaper than all that was measured. */
TEST_WITH_STAGE(a_published_figure_takes_no_measured_row_off_the_front)
{
    offer_dollars(stage, (const char *const[]){"cpu", "slow", "gpu", "old", NULL});
    USUAL(stage, "cpu");
    MEASURED(stage, "slow", 50, .low = 49, .high = 51);
    PUBLISHED(stage, "gpu", 1000);
    PUBLISHED(stage, "old", 10);
    compare(stage, "");
    EXPECT(row_of(stage, "cpu")->is_on_front);
    EXPECT(!row_of(stage, "slow")->is_on_front);
    EXPECT(row_of(stage, "gpu")->is_on_front); /* of what was published */
    EXPECT(!row_of(stage, "old")->is_on_front);
}
