#include "engine/stats/gate.h"

#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#define MARGIN COMPARE_MARGIN
#define SEEDS 20000 /* enough to distinguish one alarm in a hundred from two */
#define RUNS_MAX 30

static struct gate_look look_at(const double *a, size_t a_count, const double *b, size_t b_count)
{
    const struct gate_side candidate = {.values = a, .count = a_count};
    const struct gate_side baseline = {.values = b, .count = b_count};
    struct gate_look look;

    gate_look(&candidate, &baseline, MARGIN, &look);
    return look;
}

static struct gate_look look_at_pairs(const double *a, const double *b, size_t count,
                                      double margin)
{
    const struct gate_side candidate = {.values = a, .count = count};
    const struct gate_side baseline = {.values = b, .count = count};
    struct gate_look look;

    gate_look_at_pairs(&candidate, &baseline, margin, &look);
    return look;
}

/* What a gate would do on a machine whose runs scatter by `cov`. */
struct setting {
    size_t candidate, baseline; /* runs */
    double cov, truth;          /* of candidate / baseline */
};

static void count_fails(const struct setting *of, int seeds, int *ret_first, int *ret_confirmed)
{
    *ret_first = *ret_confirmed = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        struct chance chance = seeded(seed);
        double a[RUNS_MAX], b[RUNS_MAX];
        struct gate_look first, second;

        runs_of(&chance, 100 * of->truth, of->cov, a, of->candidate);
        runs_of(&chance, 100, of->cov, b, of->baseline);
        first = look_at(a, of->candidate, b, of->baseline);
        *ret_first += first.verdict == GATE_FAIL;
        runs_of(&chance, 100 * of->truth, of->cov, a, 10);
        runs_of(&chance, 100, of->cov, b, 10);
        second = look_at_pairs(a, b, 10, MARGIN);
        *ret_confirmed += gate_confirm(&first, &second) == GATE_FAIL;
    }
}

TEST(equals_are_failed_once_in_a_hundred_at_most_and_confirmed_hardly_ever)
{
    EACH(struct setting, setting, {10, 10, 0.02, 1}, {1, 10, 0.02, 1}, {1, 30, 0.02, 1},
         {1, 6, 0.02, 1}, {10, 10, 0.05, 1}, {1, 10, 0.05, 1}, {1, 30, 0.05, 1},
         {3, 3, 0.05, 1}) {
        int first, confirmed;

        count_fails(&setting, SEEDS, &first, &confirmed);
        printf(
            "       %2zu run(s) against %2zu, CoV %.0f %%: %.2f %% alarms, %.3f %% confirmed\n",
            setting.candidate, setting.baseline, 100 * setting.cov, 100.0 * first / SEEDS,
            100.0 * confirmed / SEEDS);
        EXPECT(first <= SEEDS / 100);
        EXPECT(confirmed <= SEEDS / 2000);
        EXPECT(confirmed < first || first == 0);
    }
}

TEST(seven_percent_are_found_and_five_a_third_of_the_time)
{
    const struct setting seven = {10, 10, 0.02, 0.93}, five = {10, 10, 0.02, 0.95};
    int first, confirmed;

    count_fails(&seven, 2000, &first, &confirmed);
    printf("       7 %% slower is found %.3f of the time\n", confirmed / 2000.0);
    EXPECT(confirmed >= 1800 && first >= confirmed);
    count_fails(&five, 2000, &first, &confirmed);
    printf("       5 %% slower is found %.3f of the time\n", confirmed / 2000.0);
    EXPECT(confirmed >= 400 && confirmed <= 1000);
}

/* The share says itself that five per cent are too little for ten runs a side, and seven enough.
 */
TEST(a_detectable_difference_is_detected)
{
    double sum = 0;

    for (long long seed = 1; seed <= 1000; seed++) {
        struct chance chance = seeded(seed);
        double a[10], b[10], half;
        struct gate_look look;

        runs_of(&chance, 100, 0.02, a, 10);
        runs_of(&chance, 100, 0.02, b, 10);
        look = look_at(a, 10, b, 10);
        half = (look.ratio.high - look.ratio.low) / 2 / look.ratio.value;
        EXPECT_NEAR(look.detectable, MARGIN + 2 * half, 1e-12);
        sum += look.detectable / 1000;
    }
    EXPECT(sum > 0.06 && sum < 0.07);
    const struct setting slower = {10, 10, 0.02, 1 - sum};
    int first, confirmed;
    count_fails(&slower, 1000, &first, &confirmed);
    EXPECT(confirmed >= 850);
}

static struct gate_look one_each(double a, double a_low, double b, double b_low)
{
    const struct gate_side candidate = {
        .values = &a, .count = 1, .only = {a, a_low, a_low > 0 ? a * a / a_low : 0}};
    const struct gate_side baseline = {
        .values = &b, .count = 1, .only = {b, b_low, b_low > 0 ? b * b / b_low : 0}};
    struct gate_look look;

    gate_look(&candidate, &baseline, MARGIN, &look);
    return look;
}

TEST(one_run_each_passes_at_best)
{
    struct gate_look same = one_each(100, 99, 100, 99), slow = one_each(50, 49, 100, 99);
    struct gate_look bare = one_each(50, 0, 100, 0);

    EXPECT_HAS(same, (verdict, GATE_PASS), (level, GATE_STEPS));
    EXPECT_STR(gate_level_names[same.level], "steps");
    EXPECT(isnan(same.detectable)); /* no slowdown would ever be found */
    EXPECT_INT(slow.verdict, GATE_CANNOT_TELL);
    EXPECT(slow.ratio.known && slow.ratio.high < 0.6);
    EXPECT_PART(slow.because, "one run each");
    EXPECT_INT(bare.verdict, GATE_CANNOT_TELL);
    EXPECT(!bare.ratio.known && isnan(bare.ratio.low) && isnan(bare.ratio.high));
    EXPECT_NEAR(bare.ratio.value, 0.5, 1e-12);
}

TEST(fewer_than_six_runs_against_one_pass_but_never_fail)
{
    const double near[] = {100, 100.1, 99.9, 100.05, 99.95, 100}, slow[] = {50}, same[] = {100};

    for (size_t count = 2; count <= 6; count++) {
        struct gate_look look = look_at(slow, 1, near, count);

        EXPECT_INT(look.verdict, count < GATE_BASELINE_MIN ? GATE_CANNOT_TELL : GATE_FAIL);
        EXPECT_INT(isnan(look.detectable), count < GATE_BASELINE_MIN);
        EXPECT_INT(look.level, GATE_RUNS);
        EXPECT_INT(look_at(same, 1, near, count).verdict, GATE_PASS);
    }
    EXPECT_PART(look_at(slow, 1, near, 5).because, "too few runs");
    /* One old run is no baseline for many candidates either. */
    EXPECT_INT(look_at(near, 6, (const double[]){200}, 1).verdict, GATE_CANNOT_TELL);
    EXPECT_NEAR(look_at(near, 6, (const double[]){200}, 1).ratio.value, 0.5, 1e-6);
    EXPECT_INT(look_at(near, 6, same, 1).verdict, GATE_PASS);
    EXPECT_INT(look_at(slow, 1, near, 0).verdict, GATE_CANNOT_TELL);
    EXPECT_INT(look_at(slow, 0, near, 6).verdict, GATE_CANNOT_TELL);
}

/* t with five degrees, times s of the logarithms, times the root of 7/6. */
TEST(a_single_candidate_is_like_the_next_run_of_the_baseline)
{
    const double baseline[] = {exp(4.59), exp(4.61), exp(4.59), exp(4.61), exp(4.59), exp(4.61)};
    const double candidate[] = {exp(4.6)}, half = 2.570582 * sqrt(0.0006 / 5) * sqrt(7.0 / 6);
    struct gate_look look = look_at(candidate, 1, baseline, 6);

    EXPECT(look.ratio.known);
    EXPECT_NEAR(look.ratio.value, 1, 1e-9);
    EXPECT_NEAR(look.ratio.low, exp(-half), 1e-9);
    EXPECT_NEAR(look.ratio.high, exp(half), 1e-9);
}

static enum gate_verdict pairs_of(double candidate, double margin)
{
    const double a[] = {candidate, candidate, candidate}, b[] = {100, 100, 100};
    struct gate_look look = look_at_pairs(a, b, 3, margin);

    EXPECT_INT(look.level, GATE_PAIRS);
    return look.verdict;
}

TEST(an_interval_that_ends_at_the_margin_holds_it)
{
    EXPECT_INT(pairs_of(50, 0.5), GATE_CANNOT_TELL);
    EXPECT_INT(pairs_of(50.000001, 0.5), GATE_PASS);
    EXPECT_INT(pairs_of(49.999999, 0.5), GATE_FAIL);
    EXPECT_INT(pairs_of(100, 0), GATE_CANNOT_TELL);
    EXPECT_INT(pairs_of(130, 0.03), GATE_PASS); /* faster is no reason to fail */
}

/* A candidate that others slowed down by a tenth may be as fast as the baseline is. */
TEST(what_others_took_is_no_slowdown)
{
    const double slow[] = {90, 90.1, 89.9}, quick[] = {100, 100.1, 99.9};
    struct gate_side candidate = {.values = slow, .count = 3};
    struct gate_side baseline = {.values = quick, .count = 3};
    struct gate_look look;

    gate_look(&candidate, &baseline, MARGIN, &look);
    EXPECT_INT(look.verdict, GATE_FAIL);
    gate_look_at_pairs(&candidate, &baseline, MARGIN, &look);
    EXPECT_INT(look.verdict, GATE_FAIL);
    candidate.stretch = -log(0.9);
    gate_look(&candidate, &baseline, MARGIN, &look);
    EXPECT_INT(look.verdict, GATE_CANNOT_TELL);
    EXPECT_NEAR(look.ratio.value, 0.9, 1e-6);
    gate_look_at_pairs(&candidate, &baseline, MARGIN, &look);
    EXPECT_INT(look.verdict, GATE_CANNOT_TELL);
    baseline.stretch = candidate.stretch; /* both alike, in turns */
    gate_look_at_pairs(&candidate, &baseline, MARGIN, &look);
    EXPECT_INT(look.verdict, GATE_FAIL);
    gate_look(&candidate, &baseline, MARGIN, &look); /* at other times */
    EXPECT_INT(look.verdict, GATE_CANNOT_TELL);
}

TEST(pairs_see_a_slowdown_through_a_drift)
{
    const double baseline[] = {100, 80, 60, 40}, candidate[] = {90, 71.9, 54.1, 36};
    struct gate_look pairs = look_at_pairs(candidate, baseline, 4, MARGIN);
    struct gate_look one = look_at_pairs(candidate, baseline, 1, MARGIN);

    EXPECT_INT(pairs.verdict, GATE_FAIL);
    EXPECT_INT(look_at(candidate, 4, baseline, 4).verdict, GATE_CANNOT_TELL);
    EXPECT_INT(one.verdict, GATE_CANNOT_TELL);
    EXPECT(!one.ratio.known && isnan(one.detectable));
    EXPECT_NEAR(one.ratio.value, 0.9, 1e-12);
    one = look_at_pairs(candidate, baseline, 0, MARGIN);
    EXPECT_INT(one.verdict, GATE_CANNOT_TELL);
    EXPECT(isnan(one.ratio.value));
}

TEST(values_that_are_none_tell_nothing)
{
    const double good[] = {100, 101, 99, 100, 101, 99};

    EACH(double, odd, 0, -1, NAN, INFINITY) {
        const double bad[] = {100, odd, 101};
        struct gate_look looks[] = {look_at(bad, 3, good, 6), look_at(good, 6, bad, 3),
                                    look_at(&odd, 1, good, 6), one_each(odd, 99, 100, 99)};

        for (size_t j = 0; j < COUNT(looks); j++) {
            EXPECT_INT(looks[j].verdict, GATE_CANNOT_TELL);
            EXPECT(!looks[j].ratio.known && isnan(looks[j].detectable));
            EXPECT(looks[j].because && looks[j].because[0]);
        }
    }
}

TEST(two_looks_fail_only_together)
{
    static const struct {
        enum gate_verdict first, second, both;
    } rows[] = {
        {GATE_FAIL, GATE_FAIL, GATE_FAIL},
        {GATE_FAIL, GATE_PASS, GATE_CANNOT_TELL},
        {GATE_PASS, GATE_FAIL, GATE_CANNOT_TELL},
        {GATE_FAIL, GATE_CANNOT_TELL, GATE_CANNOT_TELL},
        {GATE_CANNOT_TELL, GATE_FAIL, GATE_CANNOT_TELL},
        {GATE_PASS, GATE_PASS, GATE_PASS},
        {GATE_CANNOT_TELL, GATE_PASS, GATE_PASS},
        {GATE_PASS, GATE_CANNOT_TELL, GATE_PASS},
        {GATE_CANNOT_TELL, GATE_CANNOT_TELL, GATE_CANNOT_TELL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct gate_look first = {.verdict = rows[i].first};
        const struct gate_look second = {.verdict = rows[i].second};

        EXPECT_INT(gate_confirm(&first, &second), rows[i].both);
    }
}
