#include "engine/stats/warmup.h"

#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#define TRACES 500

TEST(a_flat_trace_is_steady_from_its_second_step)
{
    long long steps[16];

    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = 1000;
    steps[0] = 900000; /* builds everything: never looked at */
    struct warmup warmup = warmup_detect(steps, 15);
    EXPECT(!warmup.decided && !warmup.steady && !warmup.settled);
    EXPECT_INT((long long)warmup.steps, 15);
    warmup = warmup_detect(steps, 16);
    EXPECT(warmup.decided && warmup.steady && warmup.settled);
    EXPECT_INT((long long)warmup.steps, 1);
}

/* What the warm-up adds to the mean of the steps that are counted. */
static double left_over(double much, double decay, size_t first, size_t count)
{
    double sum = 0;

    for (size_t i = first; i < count; i++)
        sum += much * exp(-(double)i / decay);
    return sum / (double)(count - first);
}

TEST(an_exponential_warm_up_is_cut_off)
{
    static const struct {
        double much, decay;
    } rows[] = {{0.1, 3}, {0.9, 3}, {2.7, 3}, {0.1, 5}, {0.9, 5}, {2.7, 5}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        int found = 0;

        for (long long seed = 1; seed <= TRACES; seed++) {
            struct chance chance = seeded(seed);
            long long steps[121];

            trace_steady(&chance, 0.3, 0.01, steps, 121);
            trace_warm_up(steps, 121, rows[i].much, rows[i].decay);
            struct warmup warmup = warmup_detect(steps, 121);
            found += warmup.steady &&
                     left_over(rows[i].much, rows[i].decay, warmup.steps, 121) <= 0.005;
        }
        EXPECT(found >= 0.99 * TRACES);
    }
}

/* Shared machines scatter, and their steps resemble their neighbours: lag 1 of 0.6 and 2.6 % of
 * the mean in runs that were steady. */
TEST(a_noisy_machine_can_be_steady)
{
    static const struct {
        double lag1, cov;
        size_t count;
    } rows[] = {{0, 0.001, 120},   {0.5, 0.01, 120},  {0.5, 0.03, 120}, {0.7, 0.03, 120},
                {0.85, 0.03, 120}, {0.5, 0.2, 120},   {0.6, 0.026, 60}, {0.6, 0.026, 100},
                {0.6, 0.026, 300}, {0.6, 0.026, 1000}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        int steady = 0, alarms = 0;

        for (long long seed = 1; seed <= TRACES; seed++) {
            struct chance chance = seeded(seed);
            long long steps[1000];

            trace_steady(&chance, rows[i].lag1, rows[i].cov, steps, rows[i].count);
            struct warmup warmup = warmup_detect(steps, rows[i].count);
            steady += warmup.steady;
            alarms += warmup_classify(&warmup) >= TRACE_SLOW_DOWN;
        }
        EXPECT(steady >= 0.99 * TRACES);
        EXPECT(alarms <= 0.01 * TRACES);
    }
}

/* The least error is at step 31, behind six batches: four more are two thirds of them. */
TEST(the_cut_lies_two_thirds_behind_the_least_error)
{
    long long steps[121];

    for (int i = 0; i < 121; i++)
        steps[i] = i < 31 ? 1500 : 1000;
    EXPECT_INT((long long)warmup_detect(steps, 121).steps, 1 + (6 + 4) * DRIFT_BATCH);
}

TEST(a_cut_behind_two_fifths_is_not_settled)
{
    long long steps[101];

    for (int i = 0; i < 101; i++)
        steps[i] = i < 48 ? 1500 : 1000;
    struct warmup warmup = warmup_detect(steps, 101);
    EXPECT_INT((long long)warmup.steps, 51);
    EXPECT(warmup.steady && !warmup.settled);
    /* More steps of the same level put it in the first two fifths. */
    long long more[260];
    for (int i = 0; i < 260; i++)
        more[i] = i < 48 ? 1500 : 1000;
    warmup = warmup_detect(more, 260);
    EXPECT(warmup.steady && warmup.settled);
    EXPECT(warmup.steps > 48 && warmup.steps < 104);
}

TEST(steps_that_never_settle_are_not_steady)
{
    long long steps[80];

    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = 1000000 + 100000 * (long long)i; /* always slower */
    struct warmup warmup = warmup_detect(steps, 80);
    EXPECT(warmup.decided && !warmup.steady && !warmup.settled);
}

TEST(a_fixed_warm_up_is_taken_as_it_is_and_the_rest_judged)
{
    long long steps[60];

    for (int i = 0; i < 60; i++)
        steps[i] = i < 20 ? 2000 : 1000;
    EXPECT(!warmup_fixed(steps, 19, 20).decided);
    EXPECT(warmup_fixed(steps, 20, 20).decided);
    EXPECT(!warmup_fixed(steps, 29, 20).steady); /* nine steps show nothing */
    EXPECT(warmup_fixed(steps, 30, 20).steady);
    struct warmup warmup = warmup_fixed(steps, 60, 5);
    EXPECT_INT((long long)warmup.steps, 5);
    EXPECT(!warmup.steady);
    EXPECT_NEAR(warmup.drift.change, -0.5, 1e-12);
}

static const char *class_of(const long long *steps, size_t count)
{
    struct warmup warmup = warmup_detect(steps, count);

    return trace_class_names[warmup_classify(&warmup)];
}

TEST(traces_fall_into_four_classes)
{
    struct chance chance = seeded(4);
    long long steps[300];

    trace_steady(&chance, 0, 0.001, steps, 300);
    EXPECT_STR(class_of(steps, 300), "flat");
    trace_warm_up(steps, 300, 2, 4);
    EXPECT_STR(class_of(steps, 300), "warm_up");
    /* Too hot, or out of credits: what it was before is no number of this machine. */
    for (size_t i = 150; i < 300; i++)
        steps[i] += (long long)(0.1 * STEP_NS);
    EXPECT_STR(class_of(steps, 200), "no_steady_state");
    /* A short one at the beginning moves the mean by less than 2 %. */
    for (size_t i = 1; i < 300; i++)
        steps[i] = (long long)(STEP_NS * (i < 20 ? 0.95 : 1)) + (long long)(i % 7) * 1000;
    struct warmup early = warmup_fixed(steps, 300, 1);
    EXPECT_STR(trace_class_names[warmup_classify(&early)], "slow_down");
    for (size_t i = 1; i < 300; i++)
        steps[i] = (long long)(STEP_NS * (i < 20 ? 1.05 : 1)) + (long long)(i % 7) * 1000;
    early = warmup_fixed(steps, 300, 1); /* it was warming up still */
    EXPECT_STR(trace_class_names[warmup_classify(&early)], "warm_up");
}
