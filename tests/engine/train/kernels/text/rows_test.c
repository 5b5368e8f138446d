/* Layer norm and sums of columns of every set against double. */
#include "engine/train/kernels/text/rows.h"

#include "tests/engine/train/kernels/text/text_trial.h"

#define ROWS 71
#define COLUMNS 77

struct trial {
    struct layer_norm norm;
    float *values, *scale, *shift, *slopes, *gradients[2];
    void *result, *gradient;
};

static void trial_make(struct trial *trial)
{
    *trial = (struct trial){
        .values = trial_floats(ROWS * COLUMNS, 3),
        .scale = trial_floats(COLUMNS, 1),
        .shift = trial_floats(COLUMNS, 1),
        .slopes = trial_floats(ROWS * COLUMNS, 1),
        .gradients = {trial_floats(COLUMNS, 1), trial_floats(COLUMNS, 1)},
        .result = trial_numbers(ROWS * COLUMNS, 1),
        .gradient = trial_numbers(ROWS * COLUMNS, 1),
    };
    trial->norm = (struct layer_norm){.rows = ROWS,
                                      .columns = COLUMNS,
                                      .values = trial->values,
                                      .scale = trial->scale,
                                      .shift = trial->shift,
                                      .epsilon = 1e-5f,
                                      .means = trial_floats(ROWS, 1),
                                      .factors = trial_floats(ROWS, 1)};
}

static void trial_free(struct trial *trial)
{
    void *const all[] = {trial->values,       trial->scale,        trial->shift,  trial->slopes,
                         trial->gradients[0], trial->gradients[1], trial->result, trial->gradient,
                         trial->norm.means,   trial->norm.factors};

    for (size_t i = 0; i < COUNT(all); i++)
        free(all[i]);
}

/* Value i as the norm sees it. */
static double normal(const struct trial *trial, const double *values, long i)
{
    const double *row = values + i / COLUMNS * COLUMNS;
    double mean = 0, variance = 0;

    for (long c = 0; c < COLUMNS; c++)
        mean += row[c] / COLUMNS;
    for (long c = 0; c < COLUMNS; c++)
        variance += (row[c] - mean) * (row[c] - mean) / COLUMNS;
    return (values[i] - mean) / sqrt(variance + (double)trial->norm.epsilon);
}

static void doubles(const float *from, double *ret, long count)
{
    for (long i = 0; i < count; i++)
        ret[i] = (double)from[i];
}

static void check_norm(const struct text_kernels *kernels)
{
    static double values[ROWS * COLUMNS];
    struct trial trial;

    trial_make(&trial);
    doubles(trial.values, values, ROWS * COLUMNS);
    kernels->rows->layer_norm(&trial.norm, 0, ROWS, trial.result);
    for (long i = 0; i < ROWS * COLUMNS; i++)
        TRIAL_NEAR(trial_get(trial.result, i),
                   normal(&trial, values, i) * (double)trial.scale[i % COLUMNS] +
                       (double)trial.shift[i % COLUMNS],
                   2e-6);
    trial_free(&trial);
}

static void a_layer_norm_is_what_the_formula_says(void)
{
    trial_each(check_norm);
}

/* The sum of a row's results times their gradients. */
static double whole_of_row(const struct trial *trial, const double *values, long row)
{
    double sum = 0;

    for (long i = row * COLUMNS; i < (row + 1) * COLUMNS; i++)
        sum += normal(trial, values, i) * (double)trial->scale[i % COLUMNS] *
               trial_get(trial->gradient, i);
    return sum;
}

static void check_backward(const struct text_kernels *kernels)
{
    static double values[ROWS * COLUMNS], before[ROWS * COLUMNS];
    struct trial trial;

    trial_make(&trial);
    doubles(trial.values, values, ROWS * COLUMNS);
    doubles(trial.slopes, before, ROWS * COLUMNS);
    kernels->rows->layer_norm(&trial.norm, 0, ROWS, trial.result);
    kernels->rows->layer_norm_backward(&trial.norm, trial.gradient, 0, ROWS, trial.slopes);
    for (long i = 0; i < ROWS * COLUMNS; i += 13) {
        double kept = values[i], slope;

        values[i] = kept + 1e-5;
        slope = whole_of_row(&trial, values, i / COLUMNS);
        values[i] = kept - 1e-5;
        slope = (slope - whole_of_row(&trial, values, i / COLUMNS)) / 2e-5;
        values[i] = kept;
        EXPECT_NEAR((double)trial.slopes[i], before[i] + slope, 2e-6);
    }
    trial_free(&trial);
}

static void the_gradient_of_its_values_is_added_to_what_is_there(void)
{
    trial_each(check_backward);
}

static void check_weights(const struct text_kernels *kernels)
{
    static double values[ROWS * COLUMNS];
    struct trial trial;
    float sums[COLUMNS];

    trial_make(&trial);
    doubles(trial.values, values, ROWS * COLUMNS);
    kernels->rows->layer_norm(&trial.norm, 0, ROWS, trial.result);
    kernels->rows->layer_norm_weights(&trial.norm, trial.gradient, 0, COLUMNS, trial.gradients);
    kernels->rows->column_sums(trial.gradient, (const long[]){ROWS, COLUMNS}, 0, COLUMNS, sums);
    for (long c = 0; c < COLUMNS; c++) {
        double scale = 0, shift = 0;

        for (long i = c; i < ROWS * COLUMNS; i += COLUMNS) {
            scale += normal(&trial, values, i) * trial_get(trial.gradient, i);
            shift += trial_get(trial.gradient, i);
        }
        EXPECT_NEAR((double)trial.gradients[0][c], scale, 2e-5);
        EXPECT_NEAR((double)trial.gradients[1][c], shift, 1e-5);
        EXPECT_NEAR((double)sums[c], shift, 1e-5);
    }
    trial_free(&trial);
}

static void gradients_of_scale_shift_and_bias_are_sums_over_rows(void)
{
    trial_each(check_weights);
}

static void run_cut(struct trial *trial, const struct text_kernels *kernels, long step,
                    float *ret_sums)
{
    for (long r = 0; r < ROWS; r += step) {
        long end = r + step < ROWS ? r + step : ROWS;

        kernels->rows->layer_norm(&trial->norm, r, end, trial->result);
        kernels->rows->layer_norm_backward(&trial->norm, trial->gradient, r, end, trial->slopes);
    }
    for (long c = 0; c < COLUMNS; c += step) {
        long end = c + step < COLUMNS ? c + step : COLUMNS;

        kernels->rows->layer_norm_weights(&trial->norm, trial->gradient, c, end,
                                          trial->gradients);
        kernels->rows->column_sums(trial->gradient, (const long[]){ROWS, COLUMNS}, c, end,
                                   ret_sums);
    }
}

static void check_cuts(const struct text_kernels *kernels)
{
    struct trial whole, cut;
    float sums[2][COLUMNS];

    noise_state = 7;
    trial_make(&whole);
    noise_state = 7;
    trial_make(&cut);
    run_cut(&whole, kernels, 1000, sums[0]);
    run_cut(&cut, kernels, 5, sums[1]);
    EXPECT(memcmp(whole.result, cut.result, ROWS * COLUMNS * trial_size()) == 0);
    EXPECT(memcmp(whole.slopes, cut.slopes, ROWS * COLUMNS * sizeof(float)) == 0);
    EXPECT(memcmp(whole.gradients[0], cut.gradients[0], COLUMNS * sizeof(float)) == 0);
    EXPECT(memcmp(whole.gradients[1], cut.gradients[1], COLUMNS * sizeof(float)) == 0);
    EXPECT(memcmp(sums[0], sums[1], sizeof sums[0]) == 0);
    trial_free(&whole);
    trial_free(&cut);
}

static void any_cut_gives_the_same_bits(void)
{
    trial_each(check_cuts);
}

int main(void)
{
    RUN(a_layer_norm_is_what_the_formula_says);
    RUN(the_gradient_of_its_values_is_added_to_what_is_there);
    RUN(gradients_of_scale_shift_and_bias_are_sums_over_rows);
    RUN(any_cut_gives_the_same_bits);
    return test_result();
}
