#include "tests/engine/stats/steadiness.h"

/* bench/steadiness.c counts each row of these for itself, over thousands of runs. */
#define RUNS 3

static double share(int count, int of)
{
    return of > 0 ? (double)count / of : 0;
}

static void add(struct outcome *sum, const struct outcome *one)
{
    sum->runs += one->runs;
    sum->invalid += one->invalid;
    sum->wrong += one->wrong;
    sum->covered += one->covered;
}

/* Both errors at once: what is done against the one makes the other more frequent. */
TEST(steady_runs_are_ranked_and_others_are_not)
{
    for (size_t noise = 0; noise < COUNT(noises); noise++) {
        struct outcome all = {0};

        for (size_t i = 0; i < COUNT(disturbances); i++)
            for (size_t l = 0; l < 3; l++) {
                struct outcome one = run_many(&disturbances[i], noise, lengths[l], RUNS);

                add(&all, &one);
            }
        printf("       lag 1 of %.2f: of %d runs %.4f invalid, %.4f wrong, %.3f covered\n",
               noises[noise].lag1, all.runs, share(all.invalid, all.runs),
               share(all.wrong, all.runs), share(all.covered, all.runs - all.invalid));
        EXPECT(share(all.invalid, all.runs) <= 0.01);
        EXPECT(share(all.wrong, all.runs) <= 0.01);
        EXPECT(share(all.covered, all.runs - all.invalid) >= 0.93);
    }
}

/* A machine that is quiet is measured no longer than was planned, mostly. */
TEST(a_flat_trace_hardly_goes_on)
{
    for (size_t noise = 0; noise < 2; noise++) {
        struct outcome flat = run_many(&disturbances[0], noise, 240, 200);

        EXPECT(flat.length / flat.runs <= 1.3);
        EXPECT_INT(flat.invalid, 0);
    }
}

/* What the cap decides about: a slow-down that never ends is no number of the machine. */
TEST(a_run_that_becomes_slower_all_the_time_is_invalid)
{
    struct summary_rules rules = {FIELD_IS_AUTO, FIELD_IS_AUTO, 1, 0, "slower"};
    AUTO(steps_free) struct steps steps = {0};
    struct chance chance = seeded(5);
    long long trace[240];
    struct summary summary;

    trace_steady(&chance, 0.5, 0.016, trace, 240);
    for (int i = 0; i < 240; i++)
        steps_add(&steps, (struct step){.nanoseconds = trace[i] + 500000 * i, .loss = 1});
    EXPECT(summary_compute(&steps, &rules, &summary, NULL));
    EXPECT(!summary.steady);
    EXPECT(summary.change_percent > 2);
}
