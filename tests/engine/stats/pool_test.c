#include "engine/stats/pool.h"

#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#include <math.h>

#define TYPES 300 /* made up for each number of runs and machines */
#define RUNS_MAX 20
#define MACHINES_MAX 6

static double half(const struct pool_estimate *estimate)
{
    return (estimate->high - estimate->low) / 2;
}

/* Its own steps, and what the next run of this machine may differ by. */
TEST(one_run_is_as_sure_as_its_steps_and_as_runs_are_alike)
{
    struct pool_run run = {.value = 3, .error = 0.001};
    struct pool_estimate sure = pool_runs(&run, 1, POOL_SEEN);

    EXPECT_NEAR(sure.value, 3, 1e-12);
    EXPECT_NEAR(3 - sure.low, sure.high - 3, 1e-6);
    EXPECT(half(&sure) > 0.06 && half(&sure) < 0.1);
    run.error = 0.1;
    EXPECT_NEAR(half(&(struct pool_estimate[]){pool_runs(&run, 1, POOL_SEEN)}[0]), 1.96 * 0.11,
                0.01);
}

TEST(runs_that_agree_make_each_other_sure)
{
    const struct pool_run runs[] = {{3, 0.005, 0, 0},
                                    {3.002, 0.005, 0, 0},
                                    {2.999, 0.005, 0, 0},
                                    {3.001, 0.005, 0, 0},
                                    {2.998, 0.005, 0, 0}};
    double before = INFINITY;

    for (size_t count = 1; count <= COUNT(runs); count++) {
        struct pool_estimate now = pool_runs(runs, count, POOL_SEEN);

        EXPECT(half(&now) < before);
        before = half(&now);
    }
    EXPECT(before < 0.015);
}

/* Nine steps next to ninety. */
TEST(a_short_run_moves_nothing)
{
    const struct pool_run runs[] = {{3, 0.01, 0, 0}, {3.4, 0.3, 0, 0}};
    struct pool_estimate alone = pool_runs(runs, 1, POOL_SEEN);
    struct pool_estimate both = pool_runs(runs, 2, POOL_SEEN);

    EXPECT_NEAR(both.value, 3, 0.01);
    EXPECT(half(&both) < 1.1 * half(&alone));
}

TEST(a_stray_run_is_outvoted)
{
    const struct pool_run runs[] = {{3, 0.005, 0, 0}, {1.6, 0.005, 0, 0}, {3.01, 0.005, 0, 0}};
    struct pool_estimate all = pool_runs(runs, 3, POOL_SEEN);

    EXPECT_NEAR(all.value, 3, 0.06);
    EXPECT(all.low < 3 && all.high > 3 && half(&all) < 0.2);
}

/* Others took as much from each: no number of such runs says that an idle machine is no faster.
 */
TEST(what_others_took_never_averages_out)
{
    struct pool_run runs[RUNS_MAX];
    struct pool_estimate all;

    for (size_t i = 0; i < RUNS_MAX; i++)
        runs[i] = (struct pool_run){3, 0.005, 0.3, 0};
    all = pool_runs(runs, RUNS_MAX, POOL_SEEN);
    EXPECT(all.high > 3.3 && all.high < 3.32);
    EXPECT(all.low < 3 && all.low > 2.98);
    runs[0].stretch = 0; /* and a run without disturbance says more than the others */
    all = pool_runs(runs, 4, POOL_SEEN);
    EXPECT(all.high < 3.12);
}

TEST(three_machines_that_differ_say_how_types_differ)
{
    const struct pool_run runs[] = {
        {log(150), 0.005, 0, 0}, {log(100), 0.005, 0, 1}, {log(60), 0.005, 0, 2}};
    struct pool_estimate seen = pool_runs(runs, 3, POOL_SEEN);
    struct pool_estimate type = pool_runs(runs, 3, POOL_TYPE);

    EXPECT_NEAR(exp(type.value), 97, 1);
    EXPECT(exp(type.low) < 70 && exp(type.high) > 135);
    EXPECT(half(&seen) < half(&type) / 3);
    EXPECT(type.machine_spread > 0.2 && type.run_spread < 0.05);
}

/* A type, its machines and their runs; returns whether the interval holds the truth. */
static bool holds(struct chance *chance, size_t run_count, size_t machines, bool stray,
                  double *half_sum)
{
    double run_spread = 0.06 * uniform(chance), machine_spread = 0.15 * uniform(chance);
    double levels[MACHINES_MAX], mean = 0, truth;
    struct pool_run runs[RUNS_MAX];
    struct pool_estimate found;

    for (size_t i = 0; i < machines; i++) {
        levels[i] = machine_spread * normal(chance);
        mean += levels[i] / (double)machines;
    }
    for (size_t i = 0; i < run_count; i++) {
        double error = 0.003 + 0.02 * uniform(chance);

        runs[i] = (struct pool_run){.value = levels[i % machines] + run_spread * normal(chance) +
                                             error * normal(chance),
                                    .error = error,
                                    .machine = i % machines};
    }
    if (stray)
        runs[run_count - 1].value -= 0.3;
    found = pool_runs(runs, run_count, machines > 2 ? POOL_TYPE : POOL_SEEN);
    truth = machines > 2 ? 0 : mean;
    *half_sum += half(&found);
    return found.low <= truth && truth <= found.high;
}

/* Runs of a machine spread by 0 to 6 %, machines of a type by 0 to 15 %. */
TEST(the_interval_holds_the_truth_as_often_as_it_says)
{
    static const size_t run_counts[] = {1, 2, 3, 5, 10, 20}, machine_counts[] = {1, 2, 3, 6};
    struct chance chance = chance_from("pools");
    size_t held_all = 0, all = 0;

    for (size_t i = 0; i < COUNT(machine_counts); i++)
        for (size_t j = 0; j < COUNT(run_counts); j++)
            for (int stray = 0; stray <= (run_counts[j] >= 3); stray++) {
                double half_sum = 0;
                size_t held = 0;

                if (run_counts[j] < machine_counts[i])
                    continue;
                for (int type = 0; type < TYPES; type++)
                    held += holds(&chance, run_counts[j], machine_counts[i], stray, &half_sum);
                printf("       %zu machine(s), %2zu run(s)%s: %.3f hold, +- %.1f %%\n",
                       machine_counts[i], run_counts[j], stray ? ", one stray" : "",
                       (double)held / TYPES, 100 * half_sum / TYPES);
                EXPECT(held >= 0.91 * TYPES); /* 0.94, less two standard errors and more */
                held_all += held;
                all += TYPES;
            }
    printf("       all: %.3f of %zu\n", (double)held_all / (double)all, all);
    EXPECT((double)held_all >= 0.94 * (double)all);
}
