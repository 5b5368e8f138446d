#include "engine/stats/interval.h"

#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#define TRACES 1000
#define STEPS_MAX 1000

static bool holds(const struct range *range, double truth)
{
    return range->known && range->low <= truth && truth <= range->high;
}

/* Share of traces whose interval holds the truth. */
static void cover(double rho, size_t count, double *ret_mean, double *ret_median)
{
    int mean = 0, median = 0;

    for (long long seed = 1; seed <= TRACES; seed++) {
        static long long steps[STEPS_MAX], items[STEPS_MAX];
        struct chance chance = seeded(seed);
        struct median_interval of_median;
        struct mean_interval of_mean;

        trace_steady(&chance, rho, 0.03, steps, count);
        memcpy(items, steps, count * sizeof *items);
        interval_of_mean(steps, count, &of_mean);
        interval_of_median(steps, items, count, chance, &of_median);
        mean += holds(&of_mean.mean, STEP_NS);
        median += holds(&of_median.median, STEP_NS);
    }
    *ret_mean = (double)mean / TRACES;
    *ret_median = (double)median / TRACES;
}

/* Acceptance (b), and what a table of it looks like. */
TEST(intervals_hold_the_truth_as_often_as_they_say)
{
    static const struct {
        size_t count;
        double rho, mean, median; /* at least */
    } rows[] = {{30, 0, 0.95, 0.95},    {30, 0.5, 0.95, 0.90},  {91, 0, 0.95, 0.95},
                {91, 0.3, 0.95, 0.92},  {91, 0.5, 0.95, 0.90},  {91, 0.7, 0.95, 0.86},
                {91, 0.85, 0.94, 0.75}, {300, 0.5, 0.95, 0.90}, {1000, 0.5, 0.95, 0.91}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        double mean, median;

        cover(rows[i].rho, rows[i].count, &mean, &median);
        printf("       %4zu steps, lag 1 of %.1f: mean %.3f, median %.3f\n", rows[i].count,
               rows[i].rho, mean, median);
        EXPECT(mean >= rows[i].mean && mean <= 1);
        EXPECT(median >= rows[i].median);
    }
}

TEST(batches_grow_while_they_remember_each_other)
{
    static long long steps[STEPS_MAX];
    struct chance chance = seeded(9);
    struct mean_interval means;

    trace_steady(&chance, 0, 0.03, steps, 91);
    interval_of_mean(steps, 91, &means);
    EXPECT_HAS(means, (batches, 9), (length, 10));
    trace_steady(&chance, 0.97, 0.03, steps, STEPS_MAX);
    interval_of_mean(steps, STEPS_MAX, &means);
    EXPECT(means.length > 10 && means.batches >= 9);
}

/* Half-widths, as multiples of what independent steps would have. */
TEST(steps_that_remember_each_other_say_less)
{
    static const struct {
        double rho;
        size_t count;
        double least, most; /* sqrt((1 + rho) / (1 - rho)) is what they say */
    } rows[] = {
        {0, 100, 1, 1.4}, {0, 1000, 1, 1.15}, {0.5, 1000, 1.73, 2.1}, {0.85, 1000, 3.5, 5}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        double sum = 0;

        for (long long seed = 1; seed <= 100; seed++) {
            static long long steps[STEPS_MAX];
            struct chance chance = seeded(seed);
            struct mean_interval interval;

            trace_steady(&chance, rows[i].rho, 0.03, steps, rows[i].count);
            interval_of_mean(steps, rows[i].count, &interval);
            sum += (interval.mean.high - interval.mean.low) / 2 - /* what a drift added */
                   interval.drift_percent / 100 * STEP_NS;
        }
        double ratio = sum / 100 / (1.96 * 0.03 * STEP_NS / sqrt((double)rows[i].count));
        EXPECT(ratio >= rows[i].least && ratio <= rows[i].most);
    }
}

TEST(a_drift_widens_the_interval_by_what_it_moves_the_mean)
{
    static long long steps[STEPS_MAX];
    struct chance chance = seeded(2);
    struct mean_interval flat, drifting;

    trace_steady(&chance, 0, 0.005, steps, 400);
    interval_of_mean(steps, 400, &flat);
    EXPECT_NEAR(flat.drift_percent, 0, 0);
    for (int i = 0; i < 100; i++)
        steps[i] += (long long)(0.04 * STEP_NS); /* a quarter of them 4 % slower: the mean 1 % */
    interval_of_mean(steps, 400, &drifting);
    EXPECT_NEAR(drifting.drift_percent, 1, 0.15);
    EXPECT(drifting.mean.low < STEP_NS && STEP_NS < drifting.mean.high);
}

TEST(few_steps_have_no_interval)
{
    long long steps[20] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    long long items[20], calm[20];
    struct median_interval of_median;
    struct mean_interval of_mean;

    memcpy(items, steps, sizeof items);
    for (int i = 0; i < 20; i++)
        calm[i] = 1000 + steps[i];
    interval_of_mean(calm, 19, &of_mean);
    EXPECT(!of_mean.mean.known);
    interval_of_mean(calm, 20, &of_mean);
    EXPECT(of_mean.mean.known);
    EXPECT(of_mean.mean.low < 1005.5 && of_mean.mean.high > 1005.5);
    interval_of_median(steps, items, 5, chance_from("x"), &of_median);
    EXPECT(!of_median.median.known);
    interval_of_median(steps, items, 6, chance_from("x"), &of_median);
    EXPECT(of_median.median.known);
    EXPECT_HAS(of_median, (median.low, 1), (median.high, 6));
}

TEST(equal_steps_leave_no_doubt)
{
    long long steps[40], items[40];
    struct median_interval of_median;
    struct mean_interval of_mean;

    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = items[i] = 77;
    interval_of_mean(steps, 40, &of_mean);
    EXPECT(holds(&of_mean.mean, 77));
    EXPECT_NEAR(of_mean.mean.high, 77, 0);
    interval_of_median(steps, items, 40, chance_from("x"), &of_median);
    EXPECT(holds(&of_median.median, 77));
    EXPECT_NEAR(of_median.median.high, 77, 0);
}

/* A mean that may be zero would have a throughput without an upper end. */
TEST(an_interval_down_to_zero_is_none)
{
    long long steps[20] = {0};
    struct mean_interval means;

    for (size_t i = 0; i < 10; i++)
        steps[i] = 1000;
    for (size_t i = 10; i < 20; i++)
        steps[i] = 1;
    interval_of_mean(steps, 20, &means);
    EXPECT(!means.mean.known);
}

/* Acceptance (g): nothing but the steps and the seed matter. */
TEST(the_same_run_has_the_same_interval)
{
    static long long steps[500], items[500];
    struct chance chance = seeded(5);
    struct median_interval first, again;

    for (size_t i = 0; i < 500; i++)
        steps[i] = items[i] = 49000000 + (long long)chance_below(&chance, 2000000);
    interval_of_median(steps, items, 500, chance_from("RUN"), &first);
    for (size_t i = 0; i < 500; i++)
        items[i] = steps[499 - i]; /* in whatever order they are handed in */
    interval_of_median(steps, items, 500, chance_from("RUN"), &again);
    EXPECT(first.median.low == again.median.low && first.median.high == again.median.high);
    EXPECT_INT((long long)(first.median.low), 49920742);
    EXPECT_INT((long long)(first.median.high), 50089172);
}

/* Stored summaries rest on it: whatever makes the bootstrap quicker has to leave all of these as
 * they were, of few steps and of many. */
TEST(two_hundred_intervals_are_what_they_always_were)
{
    static long long steps[3000], items[3000];
    struct chance chance = chance_from("steps");
    uint64_t sum = 0;

    for (size_t round = 0; round < 200; round++) {
        size_t count = 6 + chance_below(&chance, round % 20 == 0 ? 2994 : 300);
        struct median_interval interval;
        char name[32];

        for (size_t i = 0; i < count; i++)
            steps[i] = items[i] = 1000 + (long long)chance_below(&chance, 1000);
        snprintf(name, sizeof name, "run %zu", round);
        interval_of_median(steps, items, count, chance_from(name), &interval);
        sum = sum * 31 + (uint64_t)interval.median.low;
        sum = sum * 31 + (uint64_t)interval.median.high;
    }
    EXPECT(sum == 15122205718925788360u);
}
