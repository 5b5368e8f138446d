#include "engine/warmup.h"

#include "common/cleanup.h"
#include "engine/stats.h"
#include "tests/engine/traces.h"
#include "tests/test.h"

#define TRACES 1000

static void a_flat_trace_is_steady_from_its_second_step(void)
{
    long long steps[16];

    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = 1000;
    steps[0] = 900000; /* builds everything: never looked at */
    EXPECT(!warmup_detect(steps, 15).decided);
    struct warmup warmup = warmup_detect(steps, 16);
    EXPECT(warmup.decided && warmup.steady);
    EXPECT_INT((long long)warmup.steps, 1);
}

/* Acceptance (a): the end is where a step is one per cent slower than in the end. */
static void an_exponential_warm_up_is_found_within_two_windows(void)
{
    static const struct {
        double much, decay, least;
    } rows[] = {{0.1, 3, 0.87}, {0.9, 3, 0.87}, {2.7, 3, 0.87},
                {0.1, 5, 0.87}, {0.9, 5, 0.85}, {2.7, 5, 0.85}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        double end = rows[i].decay * log(rows[i].much / 0.01);
        int found = 0;

        for (long long seed = 1; seed <= TRACES; seed++) {
            struct chance chance = seeded(seed);
            long long steps[91];

            trace_steady(&chance, 0.3, 0.01, steps, 91);
            trace_warm_up(steps, 91, rows[i].much, rows[i].decay);
            struct warmup warmup = warmup_detect(steps, 91);
            found += warmup.steady && fabs((double)warmup.steps - end) <= 2 * WARMUP_WINDOW + 1;
        }
        EXPECT(found >= rows[i].least * TRACES);
    }
}

/* What "medians within 1 %, or 2 % where steps scatter by more than 3 %" alone would say. */
static bool is_flat_by_percent(const long long *span, double cov)
{
    double least = INFINITY, most = 0;

    for (int i = 0; i < 3; i++) {
        long long window[WARMUP_WINDOW];
        double median;

        memcpy(window, span + i * WARMUP_WINDOW, sizeof window);
        median = stats_median(window, WARMUP_WINDOW);
        least = fmin(least, median);
        most = fmax(most, median);
    }
    return most - least <= (cov > 0.03 ? 0.02 : 0.01) * least;
}

static void a_noisy_machine_can_be_steady(void)
{
    static const double covs[] = {0.001, 0.01, 0.03, 0.05, 0.1, 0.2};

    for (size_t i = 0; i < COUNT(covs); i++) {
        int steady = 0, by_percent = 0;

        for (long long seed = 1; seed <= TRACES; seed++) {
            struct chance chance = seeded(seed);
            long long steps[60];
            bool flat = false;

            trace_steady(&chance, 0.5, covs[i], steps, 60);
            steady += warmup_detect(steps, 60).steady;
            for (size_t start = 1; start + 15 <= 60; start += WARMUP_WINDOW)
                flat = flat || is_flat_by_percent(steps + start, covs[i]);
            by_percent += flat;
        }
        EXPECT(steady >= 0.95 * TRACES);
        if (covs[i] >= 0.1) /* the reason for the tolerance of ours */
            EXPECT(by_percent < 0.3 * TRACES);
    }
}

static void steps_that_never_settle_are_given_up_at_the_limits(void)
{
    long long steps[80], slow[8];

    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = 1000000 + 100000 * (long long)i; /* always slower */
    EXPECT(!warmup_detect(steps, 59).decided);
    struct warmup warmup = warmup_detect(steps, 80);
    EXPECT(warmup.decided && !warmup.steady);
    EXPECT_INT((long long)warmup.steps, WARMUP_STEPS_MAX);

    for (size_t i = 0; i < COUNT(slow); i++)
        slow[i] = 20000000000; /* 20 s each: the seventh passes two minutes */
    EXPECT(!warmup_detect(slow, 6).decided);
    warmup = warmup_detect(slow, 8);
    EXPECT(warmup.decided && !warmup.steady);
    EXPECT_INT((long long)warmup.steps, 7);
}

static void what_was_decided_stays_decided(void)
{
    for (long long seed = 1; seed <= 200; seed++) {
        struct chance chance = seeded(seed);
        struct warmup first = {0};
        long long steps[91];

        trace_steady(&chance, 0.3, 0.05, steps, 91);
        trace_warm_up(steps, 91, 1, 6);
        for (size_t count = 0; count <= 91; count++) {
            struct warmup warmup = warmup_detect(steps, count);

            if (!first.decided)
                first = warmup;
            else
                EXPECT(warmup.steps == first.steps && warmup.steady == first.steady);
        }
        EXPECT(first.decided);
    }
}

static enum trace_class classify(const long long *steps, size_t count)
{
    struct warmup warmup = warmup_detect(steps, count);

    return warmup_classify(steps, warmup.steps, count, warmup.steady);
}

static void traces_fall_into_four_classes(void)
{
    struct chance chance = seeded(4);
    long long steps[300];

    trace_steady(&chance, 0, 0.001, steps, 300);
    EXPECT_STR(trace_class_name(warmup_classify(steps, 1, 300, true)), "flat");
    trace_warm_up(steps, 300, 2, 4);
    EXPECT_STR(trace_class_name(classify(steps, 300)), "warm_up");
    for (size_t i = 150; i < 300; i++)
        steps[i] += (long long)(0.1 * STEP_NS); /* too hot, or out of credits */
    EXPECT_STR(trace_class_name(classify(steps, 300)), "slow_down");
    EXPECT_STR(trace_class_name(warmup_classify(steps, 60, 300, false)), "no_steady_state");
    for (size_t i = 0; i < 300; i++)
        steps[i] = (long long)(STEP_NS * (i < 160 ? 1.2 : 1)); /* it was warming up still */
    steps[20]++;
    EXPECT_STR(trace_class_name(classify(steps, 300)), "warm_up");
}

static void steady_noise_is_no_slow_down(void)
{
    static const size_t counts[] = {60, 100, 300, 1000};

    for (size_t i = 0; i < COUNT(counts); i++) {
        int alarms = 0;

        for (long long seed = 1; seed <= TRACES; seed++) {
            struct chance chance = seeded(seed);
            long long steps[1000];

            trace_steady(&chance, 0.5, 0.1, steps, counts[i]);
            alarms += warmup_classify(steps, 1, counts[i], true) == TRACE_SLOW_DOWN;
        }
        EXPECT(alarms <= 0.01 * TRACES);
    }
}

int main(void)
{
    RUN(a_flat_trace_is_steady_from_its_second_step);
    RUN(an_exponential_warm_up_is_found_within_two_windows);
    RUN(a_noisy_machine_can_be_steady);
    RUN(steps_that_never_settle_are_given_up_at_the_limits);
    RUN(what_was_decided_stays_decided);
    RUN(traces_fall_into_four_classes);
    RUN(steady_noise_is_no_slow_down);
    return test_result();
}
