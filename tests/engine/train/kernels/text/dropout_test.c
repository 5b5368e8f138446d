/* Dropout of every set: which elements are kept, and what becomes of them on both ways. */
#include "engine/train/kernels/text/dropout.h"

#include "tests/engine/train/kernels/text/text_trial.h"

#define COUNTED 333

/* Where "dropout1" of seed 1 begins at step 0 and 1. */
static uint64_t start_of(uint64_t step)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (const char *c = "dropout1"; *c; c++)
        hash = (hash ^ (uint64_t)*c) * 0x100000001b3;
    return hash + 0x9E3779B97F4A7C15 + step * 0xD1B54A32D192ED03;
}

static struct dropout dropout_at(uint64_t step, bool relu)
{
    return (struct dropout){
        .start = start_of(step), .threshold = 3355443, .scale = 1.25f, .relu = relu};
}

static void check_kept(const struct text_kernels *kernels)
{
    const int kept[2][8] = {{1, 1, 1, 0, 0, 1, 1, 1}, {0, 0, 1, 1, 1, 1, 0, 1}};
    void *values = trial_memory(8 * sizeof(float)), *result = trial_memory(8 * sizeof(float));

    for (int i = 0; i < 8; i++)
        trial_put(values, i, 4);
    for (int step = 0; step < 2; step++) {
        struct dropout dropout = dropout_at((uint64_t)step, false);

        kernels->dropout->forward(&dropout, values, 0, 8, result);
        for (int i = 0; i < 8; i++)
            EXPECT_NEAR(trial_get(result, i), kept[step][i] ? 5 : 0, 0);
    }
    free(values);
    free(result);
}

static void the_elements_that_the_recipe_names_are_kept(void)
{
    trial_each(check_kept);
}

static void check_ways(const struct text_kernels *kernels)
{
    for (int relu = 0; relu < 2; relu++) {
        void *values = trial_numbers(COUNTED, 1), *gradient = trial_numbers(COUNTED, 1);
        void *ones = trial_memory(COUNTED * sizeof(float));
        void *kept = trial_memory(COUNTED * sizeof(float));
        void *result = trial_memory(COUNTED * sizeof(float));
        void *slope = trial_memory(COUNTED * sizeof(float));
        struct dropout dropout = dropout_at(3, false);

        for (long i = 0; i < COUNTED; i++)
            trial_put(ones, i, 1);
        kernels->dropout->forward(&dropout, ones, 0, COUNTED, kept);
        dropout.relu = relu;
        kernels->dropout->forward(&dropout, values, 0, COUNTED, result);
        kernels->dropout->backward(&dropout, (const void *[]){gradient, relu ? result : NULL}, 0,
                                   COUNTED, slope);
        for (long i = 0; i < COUNTED; i++) {
            double value = trial_get(values, i), factor = trial_get(kept, i);

            if (relu && value <= 0)
                factor = 0;
            TRIAL_NEAR(trial_get(result, i), value * factor, 0);
            TRIAL_NEAR(trial_get(slope, i), trial_get(gradient, i) * factor, 0);
        }
        void *const all[] = {values, gradient, ones, kept, result, slope};

        for (size_t i = 0; i < COUNT(all); i++)
            free(all[i]);
    }
}

static void gradients_take_the_way_that_values_took(void)
{
    trial_each(check_ways);
}

static void check_cuts(const struct text_kernels *kernels)
{
    void *values = trial_numbers(COUNTED, 1), *whole = trial_memory(COUNTED * sizeof(float));
    struct dropout dropout = dropout_at(1, true);

    kernels->dropout->forward(&dropout, values, 0, COUNTED, whole);
    for (long i = 0; i < COUNTED; i += 7)
        kernels->dropout->forward(&dropout, values, i, i + 7 < COUNTED ? i + 7 : COUNTED, values);
    EXPECT(memcmp(whole, values, COUNTED * trial_size()) == 0);
    free(values);
    free(whole);
}

static void any_cut_and_in_place_gives_the_same_bits(void)
{
    trial_each(check_cuts);
}

int main(void)
{
    RUN(the_elements_that_the_recipe_names_are_kept);
    RUN(gradients_take_the_way_that_values_took);
    RUN(any_cut_and_in_place_gives_the_same_bits);
    return test_result();
}
