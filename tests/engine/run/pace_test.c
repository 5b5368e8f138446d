#include "engine/run/pace.h"

#include "common/clock.h"
#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#include <limits.h>

#define AUTO_WORD FIELD_IS_AUTO
#define SECONDS(n) (NS_PER_SECOND * (n))

static struct run_spec make_spec(long long warmup_steps, long long steps, long long max_seconds)
{
    struct run_spec spec = run_spec_default();

    spec.warmup_steps = warmup_steps;
    spec.steps = steps;
    spec.min_seconds = 10;
    spec.max_seconds = max_seconds;
    spec.batch_size = 100;
    return spec;
}

static struct pace after(const struct run_spec *spec, long long steps, long long nanoseconds)
{
    struct pace pace;

    pace_start(&pace, spec, 0);
    for (long long i = 0; i < steps; i++)
        pace_step(&pace, nanoseconds);
    return pace;
}

TEST(auto_is_sixty_steps_of_warmup_and_a_million_at_most)
{
    static const struct {
        long long warmup_steps, steps, most;
    } specs[] = {{AUTO_WORD, AUTO_WORD, 1000060},
                 {0, AUTO_WORD, 1000000},
                 {AUTO_WORD, 1, 61},
                 {0, 1, 1},
                 {10000, 1000000, 1010000}};

    for (size_t i = 0; i < COUNT(specs); i++) {
        struct run_spec spec = make_spec(specs[i].warmup_steps, specs[i].steps, 10);

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
    {2, 3, 100, 4, SECONDS(20), 0, PACE_GO_ON},
    {2, 3, 100, 5, 1, 0, PACE_ALL_STEPS},
    {0, 1, 100, 0, 1, 0, PACE_GO_ON},
    {0, 1, 100, 1, 1, 0, PACE_ALL_STEPS},
    {2, 3, 100, 4, 1, SECONDS(100), PACE_TIME_UP},
    {2, 3, 100, 5, 1, SECONDS(100), PACE_ALL_STEPS}, /* what was asked outweighs the limit */
    {2, 3, 100, 0, 1, SECONDS(100) - 1, PACE_GO_ON},
    {2, 3, 100, 0, 1, SECONDS(100), PACE_TIME_UP},
    /* A warm-up that is detected: equal steps are seen to be steady at the sixteenth. */
    {AUTO_WORD, 3, 100, 15, 1, 0, PACE_GO_ON},
    {AUTO_WORD, 3, 100, 16, 1, 0, PACE_ALL_STEPS},
    {AUTO_WORD, 30, 100, 30, 1, 0, PACE_GO_ON},
    {AUTO_WORD, 30, 100, 31, 1, 0, PACE_ALL_STEPS},
    /* "auto": thirty steps, ten seconds (min_seconds) and an interval as narrow as asked. */
    {0, AUTO_WORD, 1000, 29, SECONDS(1), 0, PACE_GO_ON},
    {0, AUTO_WORD, 1000, 30, SECONDS(1), 0, PACE_TARGET},
    {0, AUTO_WORD, 1000, 99, SECONDS(1) / 10, 0, PACE_GO_ON},
    {0, AUTO_WORD, 1000, 100, SECONDS(1) / 10, 0, PACE_TARGET},
    {AUTO_WORD, AUTO_WORD, 1000, 100, SECONDS(1) / 10, 0, PACE_GO_ON},
    {AUTO_WORD, AUTO_WORD, 1000, 101, SECONDS(1) / 10, 0, PACE_TARGET},
    {0, AUTO_WORD, 1000, 29, SECONDS(1), SECONDS(1000), PACE_TIME_UP},
};

TEST(a_run_goes_on_until_steps_target_or_patience_end)
{
    for (size_t i = 0; i < COUNT(verdicts); i++) {
        struct run_spec spec =
            make_spec(verdicts[i].warmup_steps, verdicts[i].steps, verdicts[i].max_seconds);
        AUTO(pace_free) struct pace pace = after(&spec, verdicts[i].seen, verdicts[i].each_ns);

        EXPECT_INT(pace_judge(&pace, verdicts[i].elapsed_ns), verdicts[i].verdict);
    }
}

/* Steps until the target was hit. */
static long long steps_until_target(double target_percent, double cov)
{
    struct run_spec spec = make_spec(AUTO_WORD, AUTO_WORD, 86400);
    AUTO(pace_free) struct pace pace = {0};
    struct chance chance = seeded(3);
    static long long steps[20000];

    spec.target_percent = target_percent;
    trace_steady(&chance, 0.3, cov, steps, COUNT(steps));
    pace_start(&pace, &spec, 0);
    for (size_t i = 0; i < COUNT(steps); i++) {
        pace_step(&pace, steps[i]);
        if (pace_judge(&pace, 0) == PACE_TARGET) {
            EXPECT(pace.half_width_percent <= target_percent);
            return (long long)i + 1;
        }
    }
    return -1;
}

TEST(a_noisy_run_goes_on_until_its_number_is_sure)
{
    long long calm = steps_until_target(1, 0.005), noisy = steps_until_target(1, 0.2);
    long long lax = steps_until_target(5, 0.2);

    EXPECT(calm >= 200 && calm < 220); /* ten seconds of them */
    EXPECT(noisy > 1000 && noisy < 10000);
    EXPECT(lax < noisy / 4);
}

TEST(a_warmup_that_never_ends_is_given_up_and_its_rest_measured)
{
    struct run_spec spec = make_spec(AUTO_WORD, 5, 86400);
    AUTO(pace_free) struct pace pace = {0};

    pace_start(&pace, &spec, 0);
    for (long long i = 0; i < 60; i++)
        pace_step(&pace, 1000000 + i * 100000);
    EXPECT(pace.warmup.decided && !pace.warmup.steady);
    EXPECT_INT(pace_judge(&pace, 0), PACE_GO_ON);
    for (long long i = 0; i < 5; i++)
        pace_step(&pace, 9000000);
    EXPECT_INT(pace_judge(&pace, 0), PACE_ALL_STEPS);
}

/* The cut may reach half of the trace, the worker sends sixty steps beyond the wanted ones. */
TEST(a_fixed_number_is_reached_wherever_the_cut_is)
{
    struct run_spec spec = make_spec(AUTO_WORD, 240, 86400);

    for (long long slow = 0; slow <= 300; slow += 10) {
        AUTO(pace_free) struct pace pace = {0};

        pace_start(&pace, &spec, 0);
        for (long long i = 0; i < pace_steps_max(&spec) && pace_judge(&pace, 0) == PACE_GO_ON;
             i++)
            pace_step(&pace, i < slow ? 3000000 : 2000000);
        EXPECT_INT(pace_judge(&pace, 0), PACE_ALL_STEPS);
    }
}

TEST(dollars_end_a_run_where_the_price_is_known)
{
    struct run_spec spec = make_spec(0, AUTO_WORD, 86400);
    struct pace pace;

    spec.max_dollars = 0.5;
    pace_start(&pace, &spec, 2.0); /* a quarter of an hour */
    EXPECT_INT(pace_judge(&pace, SECONDS(899)), PACE_GO_ON);
    EXPECT_INT(pace_judge(&pace, SECONDS(901)), PACE_DOLLARS_UP);
    EXPECT_NEAR(pace_progress(&pace, SECONDS(450)).dollars, 0.25, 1e-12);
    EXPECT_NEAR(pace_progress(&pace, SECONDS(450)).seconds_left, 450, 1e-6);
    pace_start(&pace, &spec, 0);
    EXPECT_INT(pace_judge(&pace, SECONDS(86399)), PACE_GO_ON);
    EXPECT_NEAR(pace_progress(&pace, SECONDS(450)).dollars, 0, 0);
}

TEST(the_warmup_is_counted_apart)
{
    struct run_spec spec = make_spec(2, 10, 100);
    AUTO(pace_free) struct pace pace = after(&spec, 1, 1000);

    EXPECT_STR(pace_progress(&pace, 0).phase, "warm_up");
    pace_step(&pace, 1000);
    EXPECT_INT(pace.warmup_ns, 2000);
    EXPECT_STR(pace_progress(&pace, 0).phase, "measuring");
    pace_step(&pace, 10);
    pace_step(&pace, 20);
    EXPECT_INT(pace.warmup_ns, 2000);
    EXPECT_INT(pace.total_ns, 2030);
    EXPECT_INT((long long)pace.steps, 4);
}

static const struct {
    long long warmup_steps, steps, seen, each_ns, elapsed_ns; /* of at most 100 seconds */
    long long planned;
    double samples_per_second, seconds_left;
} forecasts[] = {
    /* Nothing seen: only the limit is known. */
    {2, 8, 0, 0, 0, 10, 0, 100},
    {2, 8, 0, 0, SECONDS(40), 10, 0, 60},
    {AUTO_WORD, AUTO_WORD, 0, 0, 0, 46, 0, 100},
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
    {0, AUTO_WORD, 2, 1000, 2000, 1000000, 1e8, 0.999998}, /* of a million */
};

TEST(progress_has_the_part_done_and_the_time_left)
{
    for (size_t i = 0; i < COUNT(forecasts); i++) {
        struct run_spec spec = make_spec(forecasts[i].warmup_steps, forecasts[i].steps, 100);
        AUTO(pace_free) struct pace pace = after(&spec, forecasts[i].seen, forecasts[i].each_ns);
        struct progress progress = pace_progress(&pace, forecasts[i].elapsed_ns);

        EXPECT_INT(progress.steps_done, forecasts[i].seen);
        EXPECT_INT(progress.steps_planned, forecasts[i].planned);
        EXPECT_NEAR(progress.samples_per_second, forecasts[i].samples_per_second,
                    forecasts[i].samples_per_second * 1e-12);
        EXPECT_NEAR(progress.elapsed_seconds, (double)forecasts[i].elapsed_ns / 1e9, 1e-9);
        EXPECT_NEAR(progress.seconds_left, forecasts[i].seconds_left, 1e-9);
    }
}

TEST(a_wide_interval_lengthens_the_forecast)
{
    struct run_spec spec = make_spec(0, AUTO_WORD, 86400);
    AUTO(pace_free) struct pace pace = {0};

    pace_start(&pace, &spec, 0);
    for (int i = 0; i < 90; i++)
        pace_step(&pace, SECONDS(1) + (i / 10 % 3) * SECONDS(1) / 10);
    EXPECT(pace.half_width_percent > 2);
    EXPECT(pace_progress(&pace, SECONDS(99)).steps_planned > 4 * 90);
}

TEST(measured_steps_outweigh_a_slow_warmup)
{
    struct run_spec spec = make_spec(1, 4, 1000);
    AUTO(pace_free) struct pace pace = after(&spec, 1, SECONDS(50));

    EXPECT_NEAR(pace_progress(&pace, SECONDS(50)).samples_per_second, 2, 1e-9);
    pace_step(&pace, SECONDS(1));
    pace_step(&pace, SECONDS(3));

    struct progress progress = pace_progress(&pace, SECONDS(54));
    EXPECT_NEAR(progress.samples_per_second, 50, 1e-9);
    EXPECT_NEAR(progress.seconds_left, 4, 1e-9);
}

TEST(even_a_mad_step_gives_sane_numbers)
{
    struct run_spec spec = make_spec(0, 10, 100);
    AUTO(pace_free) struct pace pace = after(&spec, 1, LLONG_MAX);
    struct progress progress = pace_progress(&pace, SECONDS(1));

    EXPECT(progress.samples_per_second > 0 && progress.samples_per_second < 1);
    EXPECT_NEAR(progress.seconds_left, 99, 1e-9);
    EXPECT_INT(progress.steps_planned, 10);
}

/* Steps of a second whose interval is some 4 % wide to either side, so that 1 % is out of reach.
 */
static struct pace noisy(const struct run_spec *spec, int steps)
{
    struct pace pace;

    pace_start(&pace, spec, 0);
    pace.stops_for_little = true;
    for (int i = 0; i < steps; i++)
        pace_step(&pace, SECONDS(1) + (i / 10 % 3 - 1) * SECONDS(1) / 10);
    return pace;
}

TEST(a_target_out_of_reach_ends_when_the_time_left_buys_little)
{
    struct run_spec spec = make_spec(0, AUTO_WORD, 100);
    AUTO(pace_free) struct pace early = noisy(&spec, 60), late = noisy(&spec, 66);

    spec.min_seconds = 60;
    EXPECT(late.half_width_percent > 2);
    EXPECT_INT(pace_judge(&early, SECONDS(60)),
               PACE_GO_ON); /* 0.775 of the width is within reach */
    EXPECT_INT(pace_judge(&late, SECONDS(66)), PACE_LITTLE_MORE);
    late.stops_for_little = false; /* of a run that was not asked to */
    EXPECT_INT(pace_judge(&late, SECONDS(66)), PACE_GO_ON);
    EXPECT_INT(pace_judge(&late, SECONDS(100)), PACE_TIME_UP);
}

TEST(a_target_within_reach_is_gone_for)
{
    struct run_spec spec = make_spec(0, AUTO_WORD, 100);
    AUTO(pace_free) struct pace pace = noisy(&spec, 66);

    pace.target_percent = 0.99 * pace.half_width_percent; /* four more seconds do */
    EXPECT_INT(pace_judge(&pace, SECONDS(66)), PACE_GO_ON);
    pace.target_percent = 0.5 * pace.half_width_percent;
    EXPECT_INT(pace_judge(&pace, SECONDS(66)), PACE_LITTLE_MORE);
}

TEST(little_more_wants_what_target_wants)
{
    struct run_spec spec = make_spec(0, AUTO_WORD, 31), longer = make_spec(0, AUTO_WORD, 100);
    struct run_spec fixed = make_spec(0, 200, 100);
    AUTO(pace_free) struct pace few = noisy(&spec, 29), enough = noisy(&spec, 30);
    AUTO(pace_free) struct pace asked = noisy(&fixed, 90);

    EXPECT_INT(pace_judge(&few, SECONDS(29)), PACE_GO_ON);
    EXPECT_INT(pace_judge(&enough, SECONDS(30)), PACE_GO_ON); /* going on would move the number */
    enough.warmup.settled = true;
    EXPECT_INT(pace_judge(&enough, SECONDS(30)), PACE_LITTLE_MORE);
    EXPECT_INT(pace_judge(&asked, SECONDS(90)), PACE_GO_ON); /* so many steps were asked for */
    longer.min_seconds = 80;
    AUTO(pace_free) struct pace hasty = noisy(&longer, 80), patient = noisy(&longer, 90);
    EXPECT_INT(pace_judge(&hasty, SECONDS(80)), PACE_GO_ON); /* 79 s are measured */
    EXPECT_INT(pace_judge(&patient, SECONDS(90)), PACE_LITTLE_MORE);
}

TEST(money_that_is_left_counts_as_time_that_is_left)
{
    struct run_spec spec = make_spec(0, AUTO_WORD, 10000);
    AUTO(pace_free) struct pace pace = noisy(&spec, 66);

    EXPECT_INT(pace_judge(&pace, SECONDS(66)), PACE_GO_ON);
    pace.max_dollars = 1;
    pace.dollars_per_ns = 1 / (double)SECONDS(100);
    EXPECT_INT(pace_judge(&pace, SECONDS(66)), PACE_LITTLE_MORE);
}

TEST(the_forecast_says_what_is_within_reach_and_when_it_ends)
{
    struct run_spec spec = make_spec(0, AUTO_WORD, 100);
    AUTO(pace_free) struct pace pace = noisy(&spec, 49);
    struct progress progress = pace_progress(&pace, SECONDS(49));
    double elapsed = 49.0, measured = (double)pace.total_ns / 1e9;

    EXPECT_NEAR(progress.within_reach_percent,
                pace.half_width_percent * sqrt(measured / (measured + 100 - elapsed)), 1e-9);
    EXPECT_NEAR(progress.seconds_left, 0.64 * (measured + 100 - elapsed) - measured, 1e-9);
    pace.stops_for_little = false;
    EXPECT_NEAR(pace_progress(&pace, SECONDS(49)).seconds_left, 51, 1e-9);
    EXPECT_NEAR(pace_within_reach(4, 25, 75), 2, 1e-12);
    EXPECT_NEAR(pace_within_reach(4, 25, 0), 4, 0);
    EXPECT_NEAR(pace_within_reach(4, 0, 75), 4, 0);
}

TEST(a_few_steps_already_say_roughly_how_sure_they_are)
{
    struct run_spec spec = make_spec(AUTO_WORD, AUTO_WORD, 100);
    AUTO(pace_free) struct pace few = after(&spec, 5, SECONDS(1));
    AUTO(pace_free) struct pace some = after(&spec, 5, SECONDS(1));

    EXPECT_NEAR(pace_progress(&few, SECONDS(5)).rough_percent, 0, 0);
    pace_step(&some, SECONDS(1) + SECONDS(1) / 20);
    EXPECT(pace_progress(&some, SECONDS(6)).rough_percent > 2);
    EXPECT(pace_progress(&some, SECONDS(6)).rough_percent < 20);
    spec.warmup_steps = 0;
    AUTO(pace_free) struct pace sure = noisy(&spec, 90);
    EXPECT_NEAR(pace_progress(&sure, SECONDS(90)).rough_percent, 0, 0);
}

static int looks_at_more(struct pace *pace, int steps, long long nanoseconds)
{
    int looks = 0;

    for (int i = 0; i < steps; i++) {
        pace_step(pace, nanoseconds);
        looks += pace->looked_at == pace->steps;
    }
    return looks;
}

TEST(steps_behind_the_end_are_not_looked_at_one_by_one)
{
    struct run_spec until_sure = make_spec(0, AUTO_WORD, 1000), fixed = make_spec(0, 4000, 1000);
    AUTO(pace_free) struct pace sure = after(&until_sure, 2000, SECONDS(1) / 100);
    AUTO(pace_free) struct pace all = after(&fixed, 2000, SECONDS(1) / 100);

    EXPECT_INT(pace_judge(&sure, 0), PACE_TARGET);
    EXPECT(looks_at_more(&sure, 2000, SECONDS(1) / 100) < 20); /* each twentieth more */
    EXPECT_INT(pace_judge(&sure, 0), PACE_TARGET);
    EXPECT(looks_at_more(&all, 2000, SECONDS(1) / 100) < 20);
    EXPECT_INT((long long)all.looked_at, 4000); /* the last one, whatever was seen before */
    EXPECT_INT(pace_judge(&all, 0), PACE_ALL_STEPS);
}

TEST(a_worker_may_take_two_of_its_longest_steps_to_end)
{
    struct run_spec spec = make_spec(2, 10, 4);
    AUTO(pace_free) struct pace pace = after(&spec, 0, 0);

    EXPECT_INT(pace_obey_ns(&pace), SECONDS(60));
    pace_step(&pace, SECONDS(3));
    EXPECT_INT(pace_obey_ns(&pace), SECONDS(60));
    pace_step(&pace, SECONDS(40));
    pace_step(&pace, SECONDS(12));
    EXPECT_INT(pace_obey_ns(&pace), SECONDS(80));
}

TEST(a_verdict_has_a_name)
{
    for (int verdict = PACE_ALL_STEPS; verdict <= PACE_LITTLE_MORE; verdict++) {
        const char *name = pace_verdict_name((enum pace_verdict)verdict);

        EXPECT(pace_verdict_from_name(name) == name);
    }
    EXPECT(!pace_verdict_from_name("go_on") && !pace_verdict_from_name(""));
    EXPECT_STR(pace_verdict_name(PACE_LITTLE_MORE), "little_more");
    EXPECT_STR(pace_verdict_name(PACE_GO_ON), "go_on");
    EXPECT_STR(pace_verdict_name(PACE_ALL_STEPS), "all_steps");
    EXPECT_STR(pace_verdict_name(PACE_TARGET), "target");
    EXPECT_STR(pace_verdict_name(PACE_TIME_UP), "time_up");
    EXPECT_STR(pace_verdict_name(PACE_DOLLARS_UP), "dollars_up");
}
