#include "engine/sweep/sweep_tune.h"

#include "tests/engine/four_cores.h"
#include "tests/test.h"

/* What a machine would measure of a spec, if we knew it: batch 64 is best, a thread for the input
 * helps a little, and the fixed plan loses a tenth. */
static double truth_of(const struct run_spec *spec)
{
    double rate = 100;

    rate *= spec->batch_size == 64 ? 1.2 : spec->batch_size == 32 ? 1.1 : 1;
    rate *= spec->input_workers == 1 ? 1.06 : 1;
    rate *= strcmp(spec->huge_pages, "off") == 0 ? 0.95 : 1;
    return strcmp(spec->plan, "fixed") == 0 ? 0.9 * rate : rate;
}

static struct sweep_result measure(const struct sweep *sweep)
{
    static struct sweep_run runs[2 * SWEEP_CELLS_MAX];
    struct sweep_result result = {0};
    size_t count = 0;

    for (size_t i = 0; i < 2 * sweep->count; i++) {
        double rate = truth_of(&sweep->cells[i / 2].spec) * (1 + 0.001 * (double)(i % 2));

        if (!sweep->cells[i / 2].refused[0])
            runs[count++] = (struct sweep_run){.cell = i / 2,
                                               .block = (long long)(i % 2),
                                               .state = RUN_FINISHED,
                                               .validity = VALIDITY_OK,
                                               .throughput = {rate, rate * 0.99, rate * 1.01}};
    }
    sweep_result_compute(runs, count, sweep->count, 0, NULL, &result);
    return result;
}

/* A thirty-sixth of the budget of 360 seconds each, on average, and more for larger batches. */
static void expect_shares(const struct sweep *sweep, size_t first, int line)
{
    long long sum = 0, count = (long long)(sweep->count - first);

    for (size_t i = first; i < sweep->count; i++) {
        const struct run_spec *spec = &sweep->cells[i].spec, *next = &sweep->cells[i + 1].spec;

        sum += spec->max_seconds;
        if (i + 1 < sweep->count && spec->batch_size < next->batch_size)
            EXPECT(spec->max_seconds < next->max_seconds);
    }
    if (sum > 10 * count || sum < 9 * count)
        printf("from line %d\n", line);
    EXPECT(sum <= 10 * count && sum >= 9 * count);
}
#define EXPECT_SHARES(sweep, first) expect_shares((sweep), (first), __LINE__)

TEST(a_tune_finds_the_best_and_keeps_the_fixed_one)
{
    static const char text[] = "{\"preset\":\"tune\",\"budget_seconds\":360}";
    AUTO(sweep_clear) struct sweep sweep = {0};
    struct error err = {0};

    EXPECT(sweep_from_text(text, strlen(text), &four_cores, &sweep, &err));
    sweep_tune_limit(&sweep, 0);
    EXPECT_SHARES(&sweep, 0);
    for (int round = 1; round < TUNE_ROUNDS; round++) {
        AUTO(sweep_result_clear) struct sweep_result result = measure(&sweep);
        size_t before = sweep.count;

        EXPECT(sweep_tune_next(&sweep, round, &result, &four_cores, &err));
        EXPECT(sweep.count > before);
        EXPECT_SHARES(&sweep, before);
    }
    EXPECT_STR(err.message, "");
    AUTO(sweep_result_clear) struct sweep_result result = measure(&sweep);
    const struct sweep_cell *best = &sweep.cells[result.best];
    EXPECT_INT(best->spec.batch_size, 64);
    EXPECT_INT(best->spec.input_workers, 1);
    EXPECT_STR(sweep.cells[sweep.count - 3].name, "fixed: fixed");
    EXPECT_STR(sweep.cells[sweep.count - 2].name, "best: batch_size=64 input_workers=1");
    EXPECT(strncmp(sweep.cells[sweep.count - 1].name, "second: ", 8) == 0);
}

TEST(a_round_without_a_result_is_the_last)
{
    static const char text[] = "{\"preset\":\"tune\"}";
    AUTO(sweep_clear) struct sweep sweep = {0};

    EXPECT_OK(sweep_from_text(text, strlen(text), &four_cores, &sweep, &err));
    AUTO(sweep_result_clear) struct sweep_result nothing = {0};
    sweep_result_compute(NULL, 0, sweep.count, 0, NULL, &nothing);
    size_t before = sweep.count;
    EXPECT_OK(sweep_tune_next(&sweep, 1, &nothing, &four_cores, &err));
    EXPECT_INT((long long)sweep.count, (long long)before);
}

TEST(a_small_budget_still_gives_runs_that_say_something)
{
    static const char text[] = "{\"preset\":\"tune\",\"budget_seconds\":30}";
    AUTO(sweep_clear) struct sweep sweep = {0};

    EXPECT(sweep_from_text(text, strlen(text), &four_cores, &sweep, NULL));
    sweep_tune_limit(&sweep, 0);
    EXPECT_INT(sweep.cells[3].spec.max_seconds, 4);
    EXPECT_INT(sweep.cells[3].spec.min_seconds, 2);
}
