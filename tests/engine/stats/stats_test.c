#include "engine/stats/stats.h"

#include "tests/engine/trace/traces.h"
#include "tests/test.h"

static int by_size(const void *left, const void *right)
{
    long long a = *(const long long *)left, b = *(const long long *)right;

    return (a > b) - (a < b);
}

TEST(the_nth_smallest_is_the_nth_of_the_sorted_list)
{
    for (long long seed = 1; seed <= 3000; seed++) {
        struct chance chance = seeded(seed);
        size_t count = 1 + chance_below(&chance, 200), rank = chance_below(&chance, count);
        size_t span = seed % 3 ? 1000000 : 7; /* many equal ones too */
        long long items[200], sorted[200];

        for (size_t i = 0; i < count; i++)
            items[i] = sorted[i] = (long long)chance_below(&chance, span);
        qsort(sorted, count, sizeof *sorted, by_size);
        if (stats_select(items, count, rank) != sorted[rank])
            EXPECT_INT(stats_select(items, count, rank), sorted[rank]);
        double median = ((double)sorted[(count - 1) / 2] + (double)sorted[count / 2]) / 2;
        EXPECT_NEAR(stats_median(items, count), median, 0);
    }
}

TEST(a_median_of_an_even_number_lies_between_the_middle_two)
{
    long long even[] = {4, 1, 3, 2}, odd[] = {9, 1, 5}, one[] = {7}, two[] = {1, 2};

    EXPECT_NEAR(stats_median(even, 4), 2.5, 0);
    EXPECT_NEAR(stats_median(odd, 3), 5, 0);
    EXPECT_NEAR(stats_median(one, 1), 7, 0);
    EXPECT_NEAR(stats_median(two, 2), 1.5, 0);
}

TEST(spread_and_memory_of_known_values)
{
    const double values[] = {1, 2, 3, 4, 5}, flat[] = {3, 3, 3}, zigzag[] = {1, -1, 1, -1};

    EXPECT_NEAR(stats_mean(values, 5), 3, 0);
    EXPECT_NEAR(stats_variance(values, 5), 2.5, 0);
    EXPECT_NEAR(stats_variance(values, 1), 0, 0);
    EXPECT_NEAR(stats_lag1(values, 5), 0.4, 1e-15);
    EXPECT_NEAR(stats_lag1(flat, 3), 0, 0);
    EXPECT_NEAR(stats_lag1(zigzag, 4), -0.75, 0);
}

/* From printed tables. */
TEST(students_t_is_as_in_the_tables)
{
    static const struct {
        size_t degrees;
        double t;
    } rows[] = {{1, 12.7062}, {2, 4.3027},  {8, 2.3060},   {30, 2.0423},
                {31, 2.0395}, {40, 2.0211}, {100, 1.9840}, {1000, 1.9623}};

    for (size_t i = 0; i < COUNT(rows); i++)
        EXPECT_NEAR(stats_t95(rows[i].degrees), rows[i].t, 0.00006);
    EXPECT(isinf(stats_t95(0)));
    EXPECT_NEAR(stats_t95(100000000), Z_95, 1e-6);
}

/* Acceptance (h). */
TEST(order_statistics_enclose_a_median_between_known_ranks)
{
    static const size_t rows[][3] = {{6, 1, 6},    {9, 2, 8},    {10, 2, 9},    {20, 6, 15},
                                     {30, 10, 21}, {91, 36, 56}, {100, 40, 61}, {1001, 469, 533}};
    size_t low = 77, high = 77;

    for (size_t i = 0; i < COUNT(rows); i++) {
        EXPECT(stats_median_ranks(rows[i][0], &low, &high));
        EXPECT_INT((long long)low, (long long)rows[i][1]);
        EXPECT_INT((long long)high, (long long)rows[i][2]);
    }
    for (size_t count = 0; count < 6; count++)
        EXPECT(!stats_median_ranks(count, &low, &high));
}

TEST(a_share_has_wilsons_interval)
{
    double low, high;

    stats_wilson(0, 20, &low, &high);
    EXPECT_NEAR(low, 0, 0);
    EXPECT_NEAR(high, 0.1611, 0.0001);
    stats_wilson(10, 20, &low, &high);
    EXPECT_NEAR(low, 0.2993, 0.0001);
    EXPECT_NEAR(high, 0.7007, 0.0001);
    stats_wilson(20, 20, &low, &high);
    EXPECT_NEAR(low, 0.8389, 0.0001);
    EXPECT_NEAR(high, 1, 0);
    stats_wilson(0, 0, &low, &high);
    EXPECT_NEAR(high - low, 1, 0); /* nothing is known */
}
