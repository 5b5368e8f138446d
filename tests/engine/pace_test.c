#include "engine/pace.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "tests/test.h"

#include <limits.h>

#define AUTO_WORD FIELD_IS_AUTO
#define SECONDS(n) (NS_PER_SECOND * (n))

static struct run_spec make_spec(long long warmup_steps, long long steps, long long max_seconds)
{
    struct run_spec spec = run_spec_default();

    spec.warmup_steps = warmup_steps;
    spec.steps = steps;
    spec.max_seconds = max_seconds;
    spec.batch_size = 100;
    return spec;
}

static struct pace after(const struct run_spec *spec, long long steps, long long nanoseconds)
{
    struct pace pace;

    pace_start(&pace, spec);
    for (long long i = 0; i < steps; i++)
        pace_step(&pace, nanoseconds);
    return pace;
}

static void auto_comes_to_five_steps_of_warmup_and_at_most_a_million(void)
{
    static const struct {
        long long warmup_steps, steps, warmup, most;
    } specs[] = {
        {AUTO_WORD, AUTO_WORD, 5, 1000005},
        {0, AUTO_WORD, 0, 1000000},
        {AUTO_WORD, 1, 5, 6},
        {0, 1, 0, 1},
        {10000, 1000000, 10000, 1010000},
    };

    for (size_t i = 0; i < COUNT(specs); i++) {
        struct run_spec spec = make_spec(specs[i].warmup_steps, specs[i].steps, 10);

        EXPECT_INT(pace_warmup_steps(&spec), specs[i].warmup);
        EXPECT_INT(pace_steps_max(&spec), specs[i].most);
    }
}

static const struct {
    long long warmup_steps, steps, max_seconds; /* asked for */
    long long seen, each_ns, elapsed_ns;        /* so far */
    enum pace_verdict verdict;
} verdicts[] = {
    /* A fixed number: warm-up steps do not count, seconds do not matter. */
    {2, 3, 100, 0, 1, 0, PACE_GO_ON},
    {2, 3, 100, 3, 1, 0, PACE_GO_ON},
    {2, 3, 100, 4, 1, 0, PACE_GO_ON},
    {2, 3, 100, 5, 1, 0, PACE_ALL_STEPS},
    {0, 1, 100, 0, 1, 0, PACE_GO_ON},
    {0, 1, 100, 1, 1, 0, PACE_ALL_STEPS},
    {0, 100, 86400, 60, SECONDS(60), SECONDS(3600), PACE_GO_ON},
    /* auto: thirty steps and ten seconds, both, after the warm-up. */
    {AUTO_WORD, AUTO_WORD, 100, 34, SECONDS(1), SECONDS(34), PACE_GO_ON},
    {AUTO_WORD, AUTO_WORD, 100, 35, SECONDS(1), SECONDS(35), PACE_ENOUGH},
    {0, AUTO_WORD, 100, 29, SECONDS(1), SECONDS(29), PACE_GO_ON},
    {0, AUTO_WORD, 100, 30, SECONDS(1), SECONDS(30), PACE_ENOUGH},
    {0, AUTO_WORD, 100, 99, SECONDS(1) / 10, SECONDS(10), PACE_GO_ON},
    {0, AUTO_WORD, 100, 100, SECONDS(1) / 10, SECONDS(10), PACE_ENOUGH},
    {50, AUTO_WORD, 100, 100, SECONDS(1) / 10, SECONDS(10), PACE_GO_ON},
    {0, AUTO_WORD, 100, 999999, 1, SECONDS(9), PACE_GO_ON},
    {0, AUTO_WORD, 100, 1000000, 1, SECONDS(9), PACE_ALL_STEPS},
    {3, AUTO_WORD, 100, 1000002, 1, SECONDS(9), PACE_GO_ON},
    {3, AUTO_WORD, 100, 1000003, 1, SECONDS(9), PACE_ALL_STEPS},
    /* The limit is on the wall clock, whatever the worker says of its steps. */
    {2, 3, 100, 4, 1, SECONDS(100) - 1, PACE_GO_ON},
    {2, 3, 100, 4, 1, SECONDS(100), PACE_TIME_UP},
    {2, 3, 100, 0, 1, SECONDS(101), PACE_TIME_UP},
    {0, AUTO_WORD, 1, 5, 1, SECONDS(1), PACE_TIME_UP},
    {0, 3, 86400, 1, 1, SECONDS(86400) - 1, PACE_GO_ON},
    {0, 3, 86400, 1, 1, SECONDS(86400), PACE_TIME_UP},
    /* What is complete is complete, late or not. */
    {2, 3, 100, 5, 1, SECONDS(1000), PACE_ALL_STEPS},
    {0, AUTO_WORD, 100, 30, SECONDS(1), SECONDS(1000), PACE_ENOUGH},
};

static void a_run_goes_on_until_steps_seconds_or_patience_end(void)
{
    for (size_t i = 0; i < COUNT(verdicts); i++) {
        struct run_spec spec =
            make_spec(verdicts[i].warmup_steps, verdicts[i].steps, verdicts[i].max_seconds);
        struct pace pace = after(&spec, verdicts[i].seen, verdicts[i].each_ns);

        EXPECT_INT(pace_judge(&pace, verdicts[i].elapsed_ns), verdicts[i].verdict);
    }
}

static void the_warmup_is_counted_apart(void)
{
    struct run_spec spec = make_spec(2, 10, 100);
    struct pace pace = after(&spec, 2, 1000);

    EXPECT_INT(pace.warmup_ns, 2000);
    EXPECT_INT(pace.measured_ns, 0);
    pace_step(&pace, 10);
    pace_step(&pace, 20);
    EXPECT_INT(pace.warmup_ns, 2000);
    EXPECT_INT(pace.measured_ns, 30);
    EXPECT_INT(pace.steps, 4);
}

static void starting_again_forgets_everything(void)
{
    struct run_spec spec = make_spec(0, 10, 100);
    struct pace pace = after(&spec, 7, 1000);

    pace_start(&pace, &spec);
    EXPECT_INT(pace.steps, 0);
    EXPECT_INT(pace.measured_ns, 0);
}

static const struct {
    long long warmup_steps, steps, seen, each_ns, elapsed_ns; /* of at most 100 seconds */
    long long planned;
    double samples_per_second, seconds_left;
} forecasts[] = {
    /* Nothing seen: only the limit is known. */
    {2, 8, 0, 0, 0, 10, 0, 100},
    {2, 8, 0, 0, SECONDS(40), 10, 0, 60},
    {AUTO_WORD, AUTO_WORD, 0, 0, 0, 35, 0, 100},
    /* The warm-up has to do until there is something better. */
    {2, 8, 1, SECONDS(1), SECONDS(1), 10, 100, 9},
    {2, 8, 2, SECONDS(1), SECONDS(2), 10, 100, 8},
    {2, 8, 3, SECONDS(1), SECONDS(3), 10, 100, 7},
    {2, 8, 10, SECONDS(1), SECONDS(10), 10, 100, 0},
    /* The limit comes first where it is nearer. */
    {0, 1000, 10, SECONDS(1), SECONDS(10), 1000, 100, 90},
    {0, 1000, 10, SECONDS(1), SECONDS(200), 1000, 100, 0},
    /* auto: thirty steps or ten seconds of them, whichever is more, and more is allowed. */
    {0, AUTO_WORD, 10, SECONDS(1), SECONDS(10), 30, 100, 20},
    {0, AUTO_WORD, 10, SECONDS(1) / 10, SECONDS(1), 100, 1000, 9},
    {5, AUTO_WORD, 10, SECONDS(1) / 10, SECONDS(1), 105, 1000, 9.5},
    {0, AUTO_WORD, 40, SECONDS(1), SECONDS(40), 40, 100, 0},
    {0, AUTO_WORD, 2, 3 * SECONDS(1) / 10, SECONDS(1), 34, 1000 / 3.0, 9.6}, /* rounded up */
    {0, AUTO_WORD, 2, 1000, 2000, 1000000, 1e8, 0.999998},                   /* of a million */
    {7, AUTO_WORD, 2, 1, 2, 1000007, 1e11, 0.001000005},
};

static void progress_tells_how_far_and_how_long_still(void)
{
    for (size_t i = 0; i < COUNT(forecasts); i++) {
        struct run_spec spec = make_spec(forecasts[i].warmup_steps, forecasts[i].steps, 100);
        struct pace pace = after(&spec, forecasts[i].seen, forecasts[i].each_ns);
        struct progress progress = pace_progress(&pace, forecasts[i].elapsed_ns);

        EXPECT_INT(progress.steps_done, forecasts[i].seen);
        EXPECT_INT(progress.steps_planned, forecasts[i].planned);
        EXPECT_NEAR(progress.samples_per_second, forecasts[i].samples_per_second,
                    forecasts[i].samples_per_second * 1e-12);
        EXPECT_NEAR(progress.elapsed_seconds, (double)forecasts[i].elapsed_ns / 1e9, 1e-9);
        EXPECT_NEAR(progress.seconds_left, forecasts[i].seconds_left, 1e-9);
    }
}

static void measured_steps_outweigh_a_slow_warmup(void)
{
    struct run_spec spec = make_spec(1, 4, 1000);
    struct pace pace;

    pace_start(&pace, &spec);
    pace_step(&pace, SECONDS(50));
    EXPECT_NEAR(pace_progress(&pace, SECONDS(50)).samples_per_second, 2, 1e-9);
    pace_step(&pace, SECONDS(1));
    pace_step(&pace, SECONDS(3));

    struct progress progress = pace_progress(&pace, SECONDS(54));
    EXPECT_NEAR(progress.samples_per_second, 50, 1e-9);
    EXPECT_NEAR(progress.seconds_left, 4, 1e-9);
}

static void even_a_mad_step_gives_sane_numbers(void)
{
    struct run_spec spec = make_spec(0, 10, 100);
    struct pace pace = after(&spec, 1, LLONG_MAX);
    struct progress progress = pace_progress(&pace, SECONDS(1));

    EXPECT(progress.samples_per_second > 0 && progress.samples_per_second < 1);
    EXPECT_NEAR(progress.seconds_left, 99, 1e-9);
    EXPECT_INT(progress.steps_planned, 10);
}

static void a_verdict_has_a_name(void)
{
    EXPECT_STR(pace_verdict_name(PACE_GO_ON), "go_on");
    EXPECT_STR(pace_verdict_name(PACE_ALL_STEPS), "all_steps");
    EXPECT_STR(pace_verdict_name(PACE_ENOUGH), "enough");
    EXPECT_STR(pace_verdict_name(PACE_TIME_UP), "time_up");
}

int main(void)
{
    RUN(auto_comes_to_five_steps_of_warmup_and_at_most_a_million);
    RUN(a_run_goes_on_until_steps_seconds_or_patience_end);
    RUN(the_warmup_is_counted_apart);
    RUN(starting_again_forgets_everything);
    RUN(progress_tells_how_far_and_how_long_still);
    RUN(measured_steps_outweigh_a_slow_warmup);
    RUN(even_a_mad_step_gives_sane_numbers);
    RUN(a_verdict_has_a_name);
    return test_result();
}
