#include "engine/run/batch.h"

#include "engine/run/memory.h"
#include "tests/test.h"

static struct run_spec spec_of(const char *workload)
{
    struct run_spec spec = run_spec_default();

    snprintf(spec.workload, sizeof spec.workload, "%s", workload);
    spec.batch_size = FIELD_IS_AUTO;
    return spec;
}

/* A step of four images takes so long; the largest batch with a hundred steps in the time. */
TEST(the_largest_batch_with_enough_steps_is_chosen)
{
    static const struct {
        double step, seconds;
        long long batch;
    } rows[] = {
        {0.45, 45, 4},  /* 100 steps are 45 s */
        {0.46, 45, 2},  /* and of two images three quarters of that */
        {0.7, 45, 2},   /* which is too long here, and there is no smaller batch */
        {0.1, 45, 16},  /* 40 s */
        {0.05, 45, 32}, /* 40 s */
        {0.001, 45, 32}, {5, 45, 2}, {0.1, -3, 2},
    };
    struct run_spec spec = spec_of("resnet50");

    for (size_t i = 0; i < COUNT(rows); i++)
        EXPECT_INT(batch_choose(&spec, rows[i].step, rows[i].seconds, -1), rows[i].batch);
}

TEST(the_usual_batch_of_the_workload_is_the_largest)
{
    struct run_spec mlp = spec_of("mlp2017"), gpt2 = spec_of("gpt2"), own = spec_of("own/net");

    EXPECT_INT(batch_choose(&mlp, 1e-4, 100, -1), 128);
    EXPECT_INT(batch_choose(&gpt2, 1e-4, 100, -1), 4);
    EXPECT_INT(batch_choose(&own, 1e-4, 100, -1), 32);
}

TEST(memory_bounds_the_batch)
{
    struct run_spec spec = spec_of("resnet50");

    EXPECT_INT(batch_choose(&spec, 1e-3, 100, 17), 16);
    EXPECT_INT(batch_choose(&spec, 1e-3, 100, 0), 2); /* none surely fits: the run tells */
}

/* Twice as many steps leave half of the batch. */
TEST(a_fixed_number_of_steps_counts)
{
    struct run_spec spec = spec_of("resnet50");

    spec.steps = 150; /* and 50 for a warm-up whose end is detected */
    EXPECT_INT(batch_choose(&spec, 0.1, 45, -1), 8);
    spec.warmup_steps = 0;
    spec.steps = 50;
    EXPECT_INT(batch_choose(&spec, 0.1, 45, -1), 32);
}

TEST(the_trial_is_short_and_small)
{
    struct run_spec spec = spec_of("resnet50"), trial = batch_trial(&spec);

    EXPECT_INT(trial.batch_size, 4);
    EXPECT_INT(trial.warmup_steps + trial.steps, BATCH_TRIAL_STEPS);
    EXPECT_STR(trial.workload, spec.workload);
    EXPECT_STR(trial.precision, spec.precision);
}

/* Before it is chosen the least is what a run needs. */
TEST(a_batch_that_is_still_to_be_chosen_needs_little_memory)
{
    struct run_spec spec = spec_of("resnet50"), least = spec;

    least.batch_size = BATCH_LEAST;
    EXPECT_INT(memory_need(&spec, 2), memory_need(&least, 2));
}
