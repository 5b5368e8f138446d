#include "engine/stats/drift.h"

#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#include <math.h>

#define TRACES 1000

TEST(two_levels_are_found_where_they_meet)
{
    long long steps[40];

    for (int i = 0; i < 40; i++)
        steps[i] = i < 30 ? 1000 : 1100;
    struct drift drift = drift_of(steps, 40);
    EXPECT_NEAR(drift.change, 0.1, 1e-12);
    EXPECT_NEAR(drift.off, 1 - 1025 / 1100.0, 1e-12); /* of the mean, were the end the truth */
    EXPECT(drift.score > 1000);
    for (int i = 0; i < 40; i++)
        steps[i] = i < 10 ? 1100 : 1000;
    drift = drift_of(steps, 40);
    EXPECT(drift.change < 0 && drift.score > 1000);
    EXPECT_NEAR(drift.off, 0.025, 1e-12);
}

TEST(equal_steps_and_few_steps_do_not_drift)
{
    long long steps[30];

    for (int i = 0; i < 30; i++)
        steps[i] = 77;
    struct drift drift = drift_of(steps, 30);
    EXPECT(drift.change == 0 && drift.off == 0 && drift.score == 0);
    for (int i = 0; i < 9; i++)
        steps[i] = 100 * i;
    for (size_t count = 0; count < 10; count++)
        EXPECT(drift_of(steps, count).score == 0);
}

/* Around two levels a slope looks like noise that remembers all. */
TEST(a_slope_is_no_noise)
{
    struct chance chance = seeded(3);
    long long steps[60];

    trace_steady(&chance, 0, 0.002, steps, 60);
    for (int i = 0; i < 60; i++)
        steps[i] += (long long)(STEP_NS * 0.001 * i);
    struct drift drift = drift_of(steps, 60);
    EXPECT(drift.score > 5);
    EXPECT(drift.change > 0.02 && drift.change < 0.04);
}

/* What the header says of flat traces. */
TEST(noise_alone_scores_little)
{
    static const double memories[] = {0, 0.5, 0.85};

    for (size_t m = 0; m < 3; m++) {
        int seen = 0, sure = 0;

        for (long long seed = 1; seed <= TRACES; seed++) {
            struct chance chance = seeded(seed);
            long long steps[200];

            trace_steady(&chance, memories[m], 0.03, steps, 200);
            double score = drift_of(steps, 200).score;
            seen += score > DRIFT_SEEN;
            sure += score > 5;
        }
        printf("       lag 1 of %.2f: %.3f above %.1f, %.3f above 5\n", memories[m],
               (double)seen / TRACES, DRIFT_SEEN, (double)sure / TRACES);
        EXPECT(seen <= 0.35 * TRACES);
        EXPECT(sure <= 0.005 * TRACES);
    }
}

TEST(steps_that_remember_count_for_less)
{
    EXPECT_NEAR(drift_inflation(0), 1, 0);
    EXPECT_NEAR(drift_inflation(0.5), 3, 1e-12);
}

/* Levels of 1,000 and 1,100 ns, and noise of ten to either side that cancels in a batch of four:
 * the fifth step of each is quiet. */
TEST(a_score_is_the_contrast_in_standard_errors)
{
    long long steps[20];

    for (int i = 0; i < 20; i++)
        steps[i] = (i < 10 ? 1000 : 1100) + (i % 5 == 4 ? 0 : i % 2 == (i / 5) % 2 ? 10 : -10);
    /* Two batches before and two after; 16 steps are off by 10, and two parameters are fitted. */
    double contrast = 100 * sqrt(2 * 2 / 4.0), error = sqrt(16 * 100 / (20 - 2.0) / DRIFT_BATCH);
    EXPECT_NEAR(drift_of(steps, 20).score, contrast / error, 1e-9);
}
