#include "engine/summary.h"

#include "common/cleanup.h"
#include "tests/test.h"

#define S 1000000000LL

static const struct {
    int count;
    long long nanoseconds[6];
    size_t warmup;
    long long batch_size;
    struct summary summary;
} runs[] = {
    {1, {2 * S}, 0, 8, {1, 2, 4, 2}},
    {4, {1 * S, 1 * S, 1 * S, 1 * S}, 0, 10, {4, 4, 10, 1}},
    {5, {9 * S, 9 * S, 1 * S, 2 * S, 3 * S}, 2, 6, {3, 6, 3, 2}},  /* the warm-up is left out */
    {4, {4 * S, 1 * S, 3 * S, 2 * S}, 0, 1, {4, 10, 0.4, 2.5}},    /* even: the middle two */
    {5, {5 * S, 1 * S, 4 * S, 2 * S, 3 * S}, 0, 3, {5, 15, 1, 3}}, /* odd: the middle one */
    {3, {1 * S, 1 * S, 97 * S}, 0, 33, {3, 99, 1, 1}}, /* an outlier bends the mean only */
    {6, {7, 7, 7, 7, 7, 1}, 5, 1, {1, 1e-9, 1e9, 1e-9}},
    {2, {86400 * S, 86400 * S}, 1, 65536, {1, 86400, 65536.0 / 86400, 86400}},
};

static void all_samples_over_all_seconds_after_the_warmup(void)
{
    for (size_t i = 0; i < COUNT(runs); i++) {
        AUTO(steps_free) struct steps steps = {0};
        const struct summary *wanted = &runs[i].summary;
        struct summary summary = {0};

        for (int n = 0; n < runs[i].count; n++)
            EXPECT(steps_add(&steps, (struct step){.nanoseconds = runs[i].nanoseconds[n]}));
        EXPECT(summary_compute(&steps, runs[i].warmup, runs[i].batch_size, &summary, NULL));
        EXPECT_INT(summary.measured_steps, wanted->measured_steps);
        EXPECT_NEAR(summary.measured_seconds, wanted->measured_seconds, 1e-12);
        EXPECT_NEAR(summary.samples_per_second, wanted->samples_per_second, 1e-6);
        EXPECT_NEAR(summary.median_step_seconds, wanted->median_step_seconds, 1e-12);
    }
}

static void a_run_without_a_measured_step_has_no_number(void)
{
    static const struct {
        int count;
        size_t warmup;
        const char *message;
    } ends[] = {
        {0, 0, "the run ended within its warm-up: 0 of 0 steps, none measured"},
        {0, 5, "the run ended within its warm-up: 0 of 5 steps, none measured"},
        {3, 5, "the run ended within its warm-up: 3 of 5 steps, none measured"},
        {5, 5, "the run ended within its warm-up: 5 of 5 steps, none measured"},
    };

    for (size_t i = 0; i < COUNT(ends); i++) {
        AUTO(steps_free) struct steps steps = {0};
        struct summary summary = {.measured_steps = -7};
        struct error err = {0};

        for (int n = 0; n < ends[i].count; n++)
            EXPECT(steps_add(&steps, (struct step){.nanoseconds = S}));
        EXPECT(!summary_compute(&steps, ends[i].warmup, 1, &summary, &err));
        EXPECT_INT(err.kind, ERROR_UPSTREAM);
        EXPECT_STR(err.message, ends[i].message);
        EXPECT_INT(summary.measured_steps, -7); /* a failure leaves the caller's summary alone */
    }
}

static void the_steps_keep_their_order(void)
{
    AUTO(steps_free) struct steps steps = {0};
    struct summary summary;

    for (int i = 5; i > 0; i--)
        EXPECT(steps_add(&steps, (struct step){.nanoseconds = i * S}));
    EXPECT(summary_compute(&steps, 1, 1, &summary, NULL));
    for (int i = 0; i < 5; i++)
        EXPECT_INT(steps.items[i].nanoseconds, (5 - i) * S);
}

/* The largest run there is: a million steps and a day of seconds, to the last nanosecond. */
static void a_million_steps_are_summed_exactly(void)
{
    AUTO(steps_free) struct steps steps = {0};
    struct summary summary;

    for (int i = 0; i < 1000000; i++)
        EXPECT(steps_add(&steps, (struct step){.nanoseconds = 86399999 + i % 3}));
    EXPECT(summary_compute(&steps, 0, 65536, &summary, NULL));
    EXPECT_INT(summary.measured_steps, 1000000);
    EXPECT_NEAR(summary.measured_seconds, 86399.999999999, 1e-9);
    EXPECT_NEAR(summary.median_step_seconds, 0.0864, 1e-15);
    EXPECT_NEAR(summary.samples_per_second, 65536e6 / 86399.999999999, 1e-6);
}

int main(void)
{
    RUN(all_samples_over_all_seconds_after_the_warmup);
    RUN(a_run_without_a_measured_step_has_no_number);
    RUN(the_steps_keep_their_order);
    RUN(a_million_steps_are_summed_exactly);
    return test_result();
}
