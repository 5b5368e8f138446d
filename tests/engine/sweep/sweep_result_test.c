#include "engine/sweep/sweep_result.h"

#include "tests/engine/trace/traces.h"
#include "tests/test.h"

static struct sweep_run done(size_t cell, long long block, double rate)
{
    return (struct sweep_run){.cell = cell,
                              .block = block,
                              .state = RUN_FINISHED,
                              .validity = VALIDITY_OK,
                              .throughput = {rate, rate * 0.99, rate * 1.01}};
}

static struct sweep_result compute(const struct sweep_run *runs, size_t count, size_t cells)
{
    struct sweep_result result = {0};

    sweep_result_compute(runs, count, cells, 0, NULL, &result);
    return result;
}

#define EXPECT_RANKS(of, wanted_low, wanted_high)                                                \
    do {                                                                                         \
        EXPECT_INT((long long)(of).rank.low, wanted_low);                                        \
        EXPECT_INT((long long)(of).rank.high, wanted_high);                                      \
    } while (0)

TEST(runs_of_a_cell_are_put_together)
{
    const struct sweep_run runs[] = {done(0, 0, 100), done(0, 1, 104), done(0, 2, 101),
                                     done(1, 0, 200), done(1, 1, 205), done(1, 2, 203)};
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, COUNT(runs), 2);

    EXPECT_NEAR(result.cells[0].throughput.value, 101.6, 0.2);
    EXPECT_NEAR(result.cells[1].throughput.value, 202.7, 0.2);
    EXPECT(result.cells[0].over_runs);
    EXPECT(result.cells[0].throughput.low < 100 && result.cells[0].throughput.high > 104);
    EXPECT_INT((long long)result.best, 1);
    EXPECT_NEAR(result.cells[1].to_first.value, 1.993, 0.002);
    EXPECT_INT(compare_judge(&result.cells[1].to_first, 0.03), COMPARE_BETTER);
    EXPECT_NEAR(result.cells[1].to_best.value, 1, 0);
    EXPECT_RANKS(result.cells[1], 1, 1);
    EXPECT_RANKS(result.cells[0], 2, 2);
}

/* Cells 0 and 2 train one workload, 1 and 3 another, a hundred times as fast. */
TEST(cells_of_different_groups_are_never_compared)
{
    const struct sweep_run runs[] = {done(0, 0, 100),   done(0, 1, 101),   done(1, 0, 20000),
                                     done(1, 1, 20100), done(2, 0, 200),   done(2, 1, 201),
                                     done(3, 0, 10000), done(3, 1, 10010), done(4, 0, 7)};
    static const size_t groups[] = {0, 1, 0, 1, 2};
    AUTO(sweep_result_clear) struct sweep_result result = {0};

    sweep_result_compute(runs, COUNT(runs), 5, 0, groups, &result);
    EXPECT_INT((long long)result.group_count, 3);
    EXPECT_INT((long long)result.best, 5); /* no cell is the best of all */
    EXPECT_RANKS(result.cells[0], 2, 2);
    EXPECT_RANKS(result.cells[1], 1, 1);
    EXPECT_RANKS(result.cells[2], 1, 1);
    EXPECT_RANKS(result.cells[3], 2, 2);
    EXPECT_RANKS(result.cells[4], 1, 1);
    EXPECT_NEAR(result.cells[2].to_first.value, 2, 0.01);
    EXPECT_NEAR(result.cells[3].to_first.value, 0.5, 0.01);
    EXPECT_NEAR(result.cells[3].to_previous.value, 0.5, 0.01);
    EXPECT_NEAR(result.cells[3].to_best.value, 0.5, 0.01);
    EXPECT_NEAR(result.cells[1].to_best.value, 1, 0);
    EXPECT(!result.cells[1].to_previous.known);
    EXPECT_INT(sweep_verdict(&result, 2, 0), COMPARE_BETTER);
    EXPECT_INT(sweep_verdict(&result, 1, 0), COMPARE_TIED);
}

/* Rounding moves the ends of an interval without width. */
TEST(a_value_lies_within_its_interval_to_the_last_digit)
{
    for (double rate = 3; rate < 1e9; rate *= 1.37) {
        struct sweep_run runs[] = {done(0, 0, rate), done(0, 1, rate), done(0, 2, rate)};
        AUTO(sweep_result_clear) struct sweep_result result = compute(runs, COUNT(runs), 1);
        const struct measure *speed = &result.cells[0].throughput;

        EXPECT(speed->low <= speed->value && speed->value <= speed->high);
    }
}

TEST(one_run_is_as_sure_as_its_steps)
{
    const struct sweep_run runs[] = {done(0, 0, 100), done(1, 0, 200)};
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, COUNT(runs), 2);

    EXPECT(!result.cells[0].over_runs);
    EXPECT_NEAR(result.cells[0].throughput.low, 99, 1e-9);
    EXPECT(result.cells[1].to_first.known);
    EXPECT_RANKS(result.cells[0], 2, 2);
    EXPECT_INT(sweep_verdict(&result, 0, 1), COMPARE_WORSE);
}

TEST(a_cell_is_surely_as_fast_as_itself)
{
    const struct sweep_run runs[] = {done(0, 0, 100), done(1, 0, 200), done(1, 1, 205)};
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, COUNT(runs), 2);
    const struct ratio *to_itself[] = {&result.cells[0].to_first, &result.cells[1].to_best};

    for (size_t i = 0; i < COUNT(to_itself); i++) {
        EXPECT(to_itself[i]->known);
        EXPECT_NEAR(to_itself[i]->low, 1, 0);
        EXPECT_NEAR(to_itself[i]->value, 1, 0);
        EXPECT_NEAR(to_itself[i]->high, 1, 0);
    }
}

static struct sweep_run split(struct sweep_run run, double input, double compute)
{
    run.shares = (struct time_shares){true, input, compute};
    return run;
}

TEST(where_the_time_went_is_the_mean_of_the_valid_runs_that_say_so)
{
    struct sweep_run runs[] = {split(done(0, 0, 100), 0.1, 0.8),
                               split(done(0, 1, 100), 0.3, 0.6),
                               done(0, 2, 100),
                               split(done(0, 3, 100), 0.9, 0),
                               done(1, 0, 200),
                               split(done(2, 0, 300), 0, 1)};
    runs[3].validity = VALIDITY_INVALID;
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, COUNT(runs), 3);

    EXPECT(result.cells[0].shares.known);
    EXPECT_NEAR(result.cells[0].shares.input, 0.2, 1e-12);
    EXPECT_NEAR(result.cells[0].shares.compute, 0.7, 1e-12);
    EXPECT(!result.cells[1].shares.known);
    EXPECT(result.cells[2].shares.known); /* nothing is an answer too */
    EXPECT_NEAR(result.cells[2].shares.input, 0, 0);
}

TEST(an_invalid_run_is_counted_and_never_used)
{
    struct sweep_run runs[] = {done(0, 0, 100), done(0, 1, 9000), done(0, 2, 101), done(1, 0, 50),
                               done(1, 1, 50)};
    runs[1].validity = VALIDITY_INVALID;
    runs[3].state = RUN_FAILED;
    runs[4].state = RUN_CANCELLED;
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, COUNT(runs), 3);

    EXPECT_INT(result.cells[0].runs, 3);
    EXPECT_INT(result.cells[0].valid, 2);
    EXPECT_INT(result.cells[0].invalid, 1);
    EXPECT_NEAR(result.cells[0].throughput.value, 100.5, 0.01);
    EXPECT_INT(result.cells[1].failed, 2);
    EXPECT_RANKS(result.cells[1], 0, 0);
    EXPECT_RANKS(result.cells[0], 1, 1);
    EXPECT_INT(sweep_verdict(&result, 0, 1), COMPARE_TIED);
    EXPECT(!result.cells[1].to_first.known);
    EXPECT_INT(result.cells[2].runs, 0);
    EXPECT_INT((long long)result.best, 3); /* one alone of two that ran is left */
}

/* 106 once; 104, 100 and 101 three times each, as far apart as runs are here. */
TEST(one_lucky_run_does_not_beat_three)
{
    const struct sweep_run runs[] = {
        done(0, 0, 106), done(1, 0, 101), done(1, 1, 108), done(1, 2, 104), done(2, 0, 96),
        done(2, 1, 104), done(2, 2, 100), done(3, 0, 97),  done(3, 1, 105), done(3, 2, 101)};
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, COUNT(runs), 4);

    EXPECT_INT((long long)result.best, 1);
    EXPECT_INT((long long)result.cells[1].rank.low, 1);
    EXPECT_NEAR(result.cells[1].to_best.value, 1, 0);
}

TEST(a_lead_beyond_the_spread_of_runs_wins_with_one_run)
{
    const struct sweep_run runs[] = {done(0, 0, 150), done(1, 0, 101), done(1, 1, 102)};
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, COUNT(runs), 2);

    EXPECT_INT((long long)result.best, 0);
}

TEST(of_single_runs_the_highest_lower_bound_is_best)
{
    struct sweep_run runs[] = {done(0, 0, 101), done(1, 0, 100), done(2, 0, 105)};

    runs[0].throughput.low = 90;
    runs[2].throughput.low = runs[2].throughput.high = 0; /* no interval */
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, COUNT(runs), 3);
    EXPECT_INT((long long)result.best, 1);
    for (size_t i = 0; i < COUNT(runs); i++)
        runs[i].throughput.low = runs[i].throughput.high = 0;
    AUTO(sweep_result_clear) struct sweep_result plain = compute(runs, COUNT(runs), 3);
    EXPECT_INT((long long)plain.best, 2);
}

TEST(a_search_takes_its_best_from_its_last_round)
{
    struct sweep_run runs[] = {done(0, 0, 200), done(0, 1, 200), done(1, 0, 100),
                               done(1, 1, 101), done(2, 0, 50),  done(2, 1, 50)};
    struct sweep_result result = {0};

    sweep_result_compute(runs, COUNT(runs), 3, 1, NULL, &result);
    EXPECT_INT((long long)result.best, 1);
    sweep_result_clear(&result);
    runs[4].state = runs[5].state = RUN_FAILED; /* nothing of its last round is left */
    sweep_result_compute(runs, COUNT(runs), 3, 2, NULL, &result);
    EXPECT_INT((long long)result.best, 0);
    sweep_result_clear(&result);
}

TEST(what_alone_is_left_of_several_cells_is_not_the_best)
{
    struct sweep_run runs[] = {done(0, 0, 100), done(1, 0, 200)};

    AUTO(sweep_result_clear) struct sweep_result both = compute(runs, 2, 2);
    EXPECT_INT((long long)both.best, 1);
    AUTO(sweep_result_clear) struct sweep_result refused = compute(runs, 1, 2);
    EXPECT_INT((long long)refused.best, 0); /* the other one did not run at all */
    runs[0].state = RUN_FAILED;
    AUTO(sweep_result_clear) struct sweep_result failed = compute(runs, 2, 2);
    EXPECT_INT((long long)failed.best, 2);
    EXPECT_NEAR(failed.cells[1].throughput.value, 200, 0);
    runs[0].state = RUN_FINISHED;
    runs[0].validity = VALIDITY_INVALID;
    AUTO(sweep_result_clear) struct sweep_result invalid = compute(runs, 2, 2);
    EXPECT_INT((long long)invalid.best, 2);
}

TEST(without_a_valid_run_there_is_no_best)
{
    struct sweep_run runs[] = {done(0, 0, 100)};

    runs[0].validity = VALIDITY_INVALID;
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, 1, 1);
    AUTO(sweep_result_clear) struct sweep_result nothing = compute(NULL, 0, 2);
    EXPECT_INT((long long)result.best, 1);
    EXPECT_INT((long long)nothing.best, 2);
}

/* The machine slows down by half over the blocks; within each, the second cell leads by 5 %. */
TEST(a_drift_that_all_cells_see_cancels_out)
{
    struct sweep_run runs[10];

    for (int block = 0; block < 5; block++) {
        double speed = 100.0 - 10 * block;

        runs[2 * block] = done(0, block, speed);
        runs[2 * block + 1] = done(1, block, speed * 1.05);
    }
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, 10, 2);
    EXPECT_NEAR(result.cells[1].to_first.value, 1.05, 1e-9);
    EXPECT_INT(compare_judge(&result.cells[1].to_first, 0.03), COMPARE_BETTER);
    EXPECT_RANKS(result.cells[0], 2, 2);
}

TEST(cells_that_cannot_be_told_apart_share_ranks)
{
    struct sweep_run runs[12];
    const double rates[] = {100, 101, 80, 79.5};

    for (int i = 0; i < 12; i++)
        runs[i] = done((size_t)(i % 4), i / 4, rates[i % 4] * (1 + 0.004 * ((i * 7) % 5 - 2)));
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, 12, 4);
    EXPECT_RANKS(result.cells[0], 1, 2);
    EXPECT_RANKS(result.cells[1], 1, 2);
    EXPECT_RANKS(result.cells[2], 3, 4);
    EXPECT_RANKS(result.cells[3], 3, 4);
    EXPECT(result.cells[1].rank.may_be_best && !result.cells[2].rank.may_be_best);
    EXPECT_INT(sweep_verdict(&result, 0, 1), COMPARE_TIED);
    EXPECT_INT(sweep_verdict(&result, 0, 3), COMPARE_BETTER);
    EXPECT_INT(sweep_verdict(&result, 2, 1), COMPARE_WORSE);
}

TEST(a_cell_without_an_interval_may_have_any_rank)
{
    struct sweep_run runs[] = {done(0, 0, 100), done(1, 0, 50), done(2, 0, 10)};

    runs[2].throughput.low = runs[2].throughput.high = 0;
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, COUNT(runs), 3);
    EXPECT_RANKS(result.cells[2], 1, 3);
    EXPECT_RANKS(result.cells[1], 2, 3);
}

/* A run that was interrupted and queued again stands for its block once. */
TEST(the_second_try_of_a_block_counts)
{
    struct sweep_run runs[] = {done(0, 0, 100), done(1, 0, 110), done(0, 1, 1), done(1, 1, 110),
                               done(0, 1, 100)};

    runs[2].state = RUN_INTERRUPTED;
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, 5, 2);
    EXPECT_NEAR(result.cells[1].to_first.value, 1.1, 1e-9);
    EXPECT_INT(result.cells[0].failed, 1);
}

TEST(false_alarms_are_counted_over_pairs)
{
    struct sweep_run runs[40];

    for (int block = 0; block < 20; block++) {
        runs[2 * block] = done(0, block, 100);
        runs[2 * block + 1] = done(1, block, block == 4 ? 120 : 100.5);
    }
    runs[7].validity = VALIDITY_INVALID;
    struct false_alarms alarms = sweep_false_alarms(runs, 40);
    EXPECT_INT(alarms.pairs, 19);
    EXPECT_INT(alarms.alarms, 1);
    EXPECT(alarms.low > 0 && alarms.low < 1 / 19.0 && alarms.high > 1 / 19.0 &&
           alarms.high < 0.3);
    EXPECT_INT(sweep_false_alarms(runs, 0).pairs, 0);
}

TEST(a_voided_run_is_counted_apart_and_never_used)
{
    struct sweep_run runs[] = {done(0, 0, 100), done(0, 1, 9000), done(0, 2, 101), done(1, 0, 50),
                               done(1, 1, 50)};
    runs[1].is_void = true;
    runs[3].is_void = runs[4].is_void = true;
    runs[4].state = RUN_FAILED;
    AUTO(sweep_result_clear) struct sweep_result result = compute(runs, COUNT(runs), 2);

    EXPECT_INT(result.cells[0].valid, 2);
    EXPECT_INT(result.cells[0].voided, 1);
    EXPECT_INT(result.cells[0].invalid, 0);
    EXPECT_NEAR(result.cells[0].throughput.value, 100.5, 0.01);
    EXPECT_INT(result.cells[1].runs, 2);
    EXPECT_INT(result.cells[1].voided, 2);
    EXPECT_INT(result.cells[1].failed, 0);
    EXPECT_RANKS(result.cells[1], 0, 0);
    EXPECT_INT(sweep_false_alarms(runs, COUNT(runs)).pairs, 0);
}

/* Cell 1 ran a fifth slower, while others took as much of the machine. */
TEST(a_cell_that_was_disturbed_more_may_be_as_fast)
{
    struct sweep_run runs[] = {done(0, 0, 100), done(0, 1, 101), done(0, 2, 100.5),
                               done(1, 0, 80),  done(1, 1, 81),  done(1, 2, 80.5)};
    struct sweep_result result = compute(runs, COUNT(runs), 2);

    EXPECT_INT(compare_judge(&result.cells[1].to_first, 0.03), COMPARE_WORSE);
    EXPECT_RANKS(result.cells[1], 2, 2);
    sweep_result_clear(&result);
    for (size_t i = 3; i < COUNT(runs); i++)
        runs[i].throughput.high *= 1.25;
    result = compute(runs, COUNT(runs), 2);
    EXPECT_INT(compare_judge(&result.cells[1].to_first, 0.03), COMPARE_TIED);
    EXPECT(result.cells[1].throughput.high > 100);
    EXPECT_RANKS(result.cells[1], 1, 2);
    sweep_result_clear(&result);
    for (size_t i = 0; i < 3; i++)
        runs[i].throughput.high *= 1.25; /* both alike: in turns that cancels out */
    result = compute(runs, COUNT(runs), 2);
    EXPECT_INT(compare_judge(&result.cells[1].to_first, 0.03), COMPARE_WORSE);
    EXPECT_RANKS(result.cells[1], 2, 2);
    sweep_result_clear(&result);
}
