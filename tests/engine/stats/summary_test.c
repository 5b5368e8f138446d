#include "engine/stats/summary.h"

#include "common/rows/fields.h"
#include "engine/stats/summary_text.h"
#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#define S 1000000000LL

static struct summary_rules rules_of(long long warmup_steps, long long steps,
                                     long long batch_size)
{
    return (struct summary_rules){.warmup_steps = warmup_steps,
                                  .steps = steps,
                                  .batch_size = batch_size,
                                  .run_id = "01ARZ3NDEKTSV4RRFFQ69G5FAV"};
}

static struct steps steps_of(const long long *nanoseconds, size_t count)
{
    struct steps steps = {0};

    for (size_t i = 0; i < count; i++)
        steps_add(&steps,
                  (struct step){.nanoseconds = nanoseconds[i], .loss = 10.0 / (double)(i + 1)});
    return steps;
}

static struct summary summarize(const long long *nanoseconds, size_t count,
                                const struct summary_rules *rules)
{
    AUTO(steps_free) struct steps steps = steps_of(nanoseconds, count);
    struct summary summary = {0};

    EXPECT_OK(summary_compute(&steps, rules, &summary, &err));
    return summary;
}

static const struct {
    size_t count;
    long long nanoseconds[6];
    long long warmup, steps, batch_size;
    long long measured;
    double seconds, samples_per_second, median;
} runs[] = {
    {1, {2 * S}, 0, FIELD_IS_AUTO, 8, 1, 2, 4, 2},
    {4, {S, S, S, S}, 0, FIELD_IS_AUTO, 10, 4, 4, 10, 1},
    {5, {9 * S, 9 * S, S, 2 * S, 3 * S}, 2, FIELD_IS_AUTO, 6, 3, 6, 3, 2}, /* without warm-up */
    {4, {4 * S, S, 3 * S, 2 * S}, 0, FIELD_IS_AUTO, 1, 4, 10, 0.4, 2.5},   /* the middle two */
    {3, {S, S, 97 * S}, 0, FIELD_IS_AUTO, 33, 3, 99, 1, 1}, /* an outlier bends the mean */
    {5, {9 * S, S, S, 5 * S, 5 * S}, 1, 2, 6, 2, 2, 6, 1},  /* more came than was asked for */
    {6, {7, 7, 7, 7, 7, 1}, 5, FIELD_IS_AUTO, 1, 1, 1e-9, 1e9, 1e-9},
    {2, {86400 * S, 86400 * S}, 1, FIELD_IS_AUTO, 65536, 1, 86400, 65536.0 / 86400, 86400},
};

TEST(all_samples_over_all_seconds_after_the_warmup)
{
    for (size_t i = 0; i < COUNT(runs); i++) {
        struct summary_rules rules = rules_of(runs[i].warmup, runs[i].steps, runs[i].batch_size);
        struct summary summary = summarize(runs[i].nanoseconds, runs[i].count, &rules);

        EXPECT_HAS(summary, (first_measured, runs[i].warmup), (measured_steps, runs[i].measured));
        EXPECT_NEAR(summary.measured_seconds, runs[i].seconds, 1e-12);
        EXPECT_NEAR(summary.samples_per_second, runs[i].samples_per_second,
                    1e-9 * runs[i].samples_per_second);
        EXPECT_NEAR(summary.median_step_seconds, runs[i].median, 1e-12);
        EXPECT(!summary.throughput.known); /* so few steps */
    }
}

TEST(a_run_that_ends_within_its_warmup_has_no_number)
{
    static const long long two[] = {5, 5};
    AUTO(steps_free) struct steps steps = steps_of(two, 2);
    struct summary_rules rules = rules_of(2, 9, 1);
    struct summary summary;

    EXPECT_ERROR_MESSAGE(summary_compute(&steps, &rules, &summary, &err), ERROR_UPSTREAM,
                         "the run ended within its warm-up: 2 of 2 steps, none measured");
    steps.count = 0;
    rules.warmup_steps = FIELD_IS_AUTO;
    EXPECT(!summary_compute(&steps, &rules, &summary, NULL));
}

/* A warm-up that makes the first steps three times as slow does not show in the number. */
TEST(a_slow_start_does_not_change_the_number)
{
    struct summary_rules rules = rules_of(FIELD_IS_AUTO, FIELD_IS_AUTO, 32);
    int within = 0, found = 0;

    for (long long seed = 1; seed <= 200; seed++) {
        struct chance chance = seeded(seed);
        long long steps[150];

        trace_steady(&chance, 0.3, 0.01, steps, 150);
        double without = summarize(steps, 150, &rules).samples_per_second;
        trace_warm_up(steps, 150, 2, 4);
        struct summary with = summarize(steps, 150, &rules);
        within += fabs(with.samples_per_second / without - 1) < 0.01;
        EXPECT(with.first_measured > 1);
        found += with.trace == TRACE_WARM_UP;
    }
    EXPECT(within >= 198);
    EXPECT(found >= 190);
}

/* Acceptance (e). */
TEST(one_stall_lowers_the_throughput_but_not_the_median_and_is_reported)
{
    struct summary_rules rules = rules_of(FIELD_IS_AUTO, FIELD_IS_AUTO, 32);
    struct chance chance = seeded(1);
    long long steps[120];

    trace_steady(&chance, 0, 0.005, steps, 120);
    struct summary calm = summarize(steps, 120, &rules);
    EXPECT(!calm.skewed);
    steps[70] *= 10;
    struct summary stalled = summarize(steps, 120, &rules);
    EXPECT(stalled.skewed);
    EXPECT(stalled.samples_per_second < 0.95 * calm.samples_per_second);
    EXPECT_NEAR(stalled.median_step_seconds, calm.median_step_seconds,
                0.001 * calm.median_step_seconds);
    EXPECT(stalled.outliers >= 1 && stalled.outliers <= calm.outliers + 1);
    EXPECT_NEAR(stalled.outlier_time_share, 0.078, 0.02);
    EXPECT(stalled.outlier_high_seconds < 0.06 && stalled.outlier_low_seconds > 0.04);
}

TEST(the_time_before_the_first_step_is_separate)
{
    static const long long nanoseconds[] = {3 * S, S / 2, S, S, S};
    struct summary_rules rules = rules_of(2, 3, 1);

    rules.setup_ns = 2 * S;
    struct summary summary = summarize(nanoseconds, 5, &rules);
    EXPECT_NEAR(summary.init_seconds, 5, 1e-12);
    EXPECT_NEAR(summary.warmup_seconds, 0.5, 1e-12);
    EXPECT_NEAR(summary.measured_seconds, 3, 1e-12);
}

TEST(a_run_too_short_to_decide_is_not_steady)
{
    static const long long nanoseconds[] = {9 * S, S, S, S, S};
    struct summary_rules rules = rules_of(FIELD_IS_AUTO, FIELD_IS_AUTO, 1);
    struct summary summary = summarize(nanoseconds, 5, &rules);

    EXPECT_INT(summary.first_measured, 1);
    EXPECT(!summary.steady);
    EXPECT_STR(trace_class_names[summary.trace], "no_steady_state");
}

/* The published protocol's numbers, by hand: 11 skipped, 91 measured. */
TEST(a_fixed_protocol_counts_what_it_says)
{
    struct summary_rules rules = rules_of(11, 91, 128);
    long long steps[110];

    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = i < 11 ? 5 * S : i < 102 ? 2 * S : 9 * S;
    struct summary summary = summarize(steps, 110, &rules);
    EXPECT_INT(summary.measured_steps, 91);
    EXPECT_NEAR(summary.samples_per_second, 64, 1e-12);
    EXPECT(summary.throughput.known);
    EXPECT_NEAR(summary.half_width_percent, 0, 1e-12);
}

/* Half of the trace is slow, so the cut goes beyond the sixty steps that there are to spare. */
TEST(a_detected_warmup_takes_no_step_of_the_wanted_number)
{
    struct summary_rules rules = rules_of(FIELD_IS_AUTO, 240, 1);
    long long steps[300];

    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = i < 120 ? 2 * S : S;
    struct summary summary = summarize(steps, COUNT(steps), &rules);
    EXPECT_HAS(summary, (first_measured, 60), (measured_steps, 240));
    EXPECT_NEAR(summary.measured_seconds, 300, 1e-9);
    EXPECT(!summary.steady);
    /* One that ended early measures what it has. */
    summary = summarize(steps, 200, &rules);
    EXPECT_INT(summary.first_measured + summary.measured_steps, 200);
}

TEST(the_split_is_the_mean_of_the_measured_steps)
{
    AUTO(steps_free) struct steps steps = {0};
    struct summary_rules rules = rules_of(1, 2, 1);
    struct summary summary;

    steps_add(&steps, (struct step){.nanoseconds = 99, .split = {90, 1, 1, 1, 1}});
    steps_add(&steps, (struct step){.nanoseconds = 10 * S, .split = {S, 2 * S, 3 * S, 3 * S, S}});
    steps_add(&steps, (struct step){.nanoseconds = 10 * S, .split = {0, 4 * S, 3 * S, 3 * S, 0}});
    EXPECT(summary_compute(&steps, &rules, &summary, NULL));
    EXPECT(summary.split_known);
    EXPECT_NEAR(summary.split.input, 0.5, 1e-12);
    EXPECT_NEAR(summary.split.forward, 3, 1e-12);
    EXPECT_NEAR(summary.split.communication, 0.5, 1e-12);
    steps.items[2].split = (struct step_split){0};
    EXPECT(summary_compute(&steps, &rules, &summary, NULL));
    EXPECT(!summary.split_known);
}

TEST(the_losses_are_of_the_first_and_the_last_fifth)
{
    static const long long nanoseconds[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct summary_rules rules = rules_of(0, 10, 1);
    struct summary summary = summarize(nanoseconds, 10, &rules);

    EXPECT_NEAR(summary.first_loss, (10 + 5) / 2.0, 1e-12);
    EXPECT_NEAR(summary.last_loss, (10 / 9.0 + 1) / 2, 1e-12);
}

/* Acceptance (g): a summary is what is stored, and made again it must be the same text. */
TEST(the_same_steps_give_the_same_text)
{
    struct summary_rules rules = rules_of(FIELD_IS_AUTO, FIELD_IS_AUTO, 32);
    struct chance chance = seeded(8);
    long long steps[200];

    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = 49000000 + (long long)chance_below(&chance, 2000000);
    struct summary summary = summarize(steps, 200, &rules);
    struct summary again = summarize(steps, 200, &rules);
    AUTO(freep) char *text = summary_to_text(&summary);
    AUTO(freep) char *text_again = summary_to_text(&again);
    EXPECT_STR(text, text_again);
    int others = 0; /* another seed is another resampling */
    for (const char *id = "abcdefgh"; *id; id++) {
        rules.run_id = id;
        struct summary other = summarize(steps, 200, &rules);

        others +=
            other.median.low != summary.median.low || other.median.high != summary.median.high;
        EXPECT(other.throughput.low == summary.throughput.low);
    }
    EXPECT(others > 0);
}

/* What others took reaches to one side, and the number stays as it ran. */
TEST(a_disturbed_run_has_a_wider_interval_upwards)
{
    struct summary_rules rules = rules_of(FIELD_IS_AUTO, FIELD_IS_AUTO, 32);
    struct chance chance = seeded(8);
    long long steps[200];

    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = 49000000 + (long long)chance_below(&chance, 2000000);
    struct summary before = summarize(steps, 200, &rules), after = before;
    summary_widen(&after, 1.25, 1.3);
    EXPECT_NEAR(after.samples_per_second, before.samples_per_second, 0);
    EXPECT_NEAR(after.idle_samples_per_second, 1.25 * before.samples_per_second, 1e-9);
    EXPECT_NEAR(after.throughput.low, before.throughput.low, 0);
    EXPECT_NEAR(after.throughput.high, 1.3 * before.throughput.high, 1e-9);
    EXPECT_NEAR(after.half_width_percent, before.half_width_percent, 0);
    AUTO(freep) char *text = summary_to_text(&after);
    EXPECT_PART(text, "\"disturbance_percent\":30.0");
}

TEST(the_text_has_null_for_what_is_not_known)
{
    static const long long nanoseconds[] = {S, S, S};
    struct summary_rules rules = rules_of(1, 2, 8);
    struct summary summary = summarize(nanoseconds, 3, &rules);
    AUTO(freep) char *text = summary_to_text(&summary);

    EXPECT_STR(text,
               "{\"method\":1,\"samples_per_second\":8.0,\"interval\":null,"
               "\"half_width_percent\":null,\"idle_samples_per_second\":8.0,"
               "\"median_step_seconds\":1.0,\"median_interval\":null,"
               "\"measured_steps\":2,\"measured_seconds\":2.0,\"first_measured\":1,"
               "\"init_seconds\":1.0,\"warmup\":{\"steps\":1,\"seconds\":0.0,"
               "\"steady_state\":false,\"class\":\"no_steady_state\",\"change_percent\":0.0},"
               "\"coefficient_of_variation\":0.0,\"lag1\":0.0,\"outliers\":{\"count\":0,"
               "\"share_of_time\":0.0,\"below_seconds\":1.0,\"above_seconds\":1.0},"
               "\"skewed\":false,\"split\":null,\"loss\":{\"first\":10.0,"
               "\"last\":3.33333333333333}}");
}
