/* A step of an LSTM of every set against double, and its gradient by difference. */
#include "engine/train/kernels/text/lstm.h"

#include "tests/engine/train/kernels/text/text_trial.h"

#define ROWS 5
#define CELLS 21
#define GATES_STRIDE (4 * CELLS + 3)
#define CELLS_STRIDE (CELLS + 2)

struct trial {
    struct lstm_step step;
    struct lstm_step_back back;
    float *sums, *gates, *before, *state, *gradient, *state_gradient;
    void *output, *slopes;
};

static void trial_make(struct trial *trial, bool first)
{
    *trial = (struct trial){
        .sums = trial_floats(ROWS * GATES_STRIDE, 3),
        .gates = trial_floats(ROWS * GATES_STRIDE, 3),
        .before = trial_floats(ROWS * CELLS_STRIDE, 1),
        .state = trial_floats(ROWS * CELLS_STRIDE, 1),
        .gradient = trial_floats(ROWS * CELLS_STRIDE, 1),
        .state_gradient = trial_floats(ROWS * CELLS_STRIDE, 1),
        .output = trial_numbers(ROWS * CELLS, 1),
        .slopes = trial_numbers(ROWS * GATES_STRIDE, 1),
    };
    trial->step = (struct lstm_step){
        .cells = CELLS,
        .gates_stride = GATES_STRIDE,
        .cells_stride = CELLS_STRIDE,
        .output_stride = CELLS,
        .sums = trial->sums,
        .gates = trial->gates,
        .state_before = first ? NULL : trial->before,
        .state = trial->state,
        .output = trial->output,
    };
    trial->back = (struct lstm_step_back){
        .gradient = trial->gradient,
        .state_gradient = trial->state_gradient,
        .sums_gradient = trial->slopes,
    };
}

static void trial_free(struct trial *trial)
{
    void *const all[] = {trial->sums,     trial->gates,          trial->before, trial->state,
                         trial->gradient, trial->state_gradient, trial->output, trial->slopes};

    for (size_t i = 0; i < COUNT(all); i++)
        free(all[i]);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* The state and the output of one cell, from its four sums and the state before. */
static void true_cell(const double sums[4], double before, double ret[2])
{
    ret[0] = sigmoid(sums[1]) * before + sigmoid(sums[0]) * tanh(sums[2]);
    ret[1] = sigmoid(sums[3]) * tanh(ret[0]);
}

static double take_cell(const struct trial *trial, long row, long c, double ret_sums[4])
{
    for (long g = 0; g < 4; g++)
        ret_sums[g] = (double)trial->sums[row * GATES_STRIDE + g * CELLS + c];
    return trial->step.state_before ? (double)trial->before[row * CELLS_STRIDE + c] : 0;
}

static void check_forward(const struct text_kernels *kernels)
{
    for (int first = 0; first < 2; first++) {
        struct trial trial;

        trial_make(&trial, first);
        trial.sums[3] = 200;
        trial.sums[CELLS + 4] = -200;
        kernels->lstm->forward(&trial.step, 0, ROWS);
        for (long row = 0; row < ROWS; row++)
            for (long c = 0; c < CELLS; c++) {
                double sums[4], wanted[2], before = take_cell(&trial, row, c, sums);

                true_cell(sums, before, wanted);
                EXPECT_NEAR((double)trial.state[row * CELLS_STRIDE + c], wanted[0], 3e-7);
                TRIAL_NEAR(trial_get(trial.output, row * CELLS + c), wanted[1], 3e-7);
            }
        trial_free(&trial);
    }
}

static void a_step_is_what_the_definition_says(void)
{
    trial_each(check_forward);
}

/* What a cell adds to the loss: its output and its state times their gradients. */
static double worth(const double sums[4], double before, const double gradients[2])
{
    double cell[2];

    true_cell(sums, before, cell);
    return cell[1] * gradients[0] + cell[0] * gradients[1];
}

static void check_cell(const struct trial *trial, long row, long c, double of_state)
{
    long at = row * CELLS_STRIDE + c;
    double sums[4], before = take_cell(trial, row, c, sums);
    double gradients[2] = {(double)trial->gradient[at], of_state};

    for (long g = 0; g < 4; g++) {
        double kept = sums[g], slope;

        sums[g] = kept + 1e-5;
        slope = worth(sums, before, gradients);
        sums[g] = kept - 1e-5;
        slope = (slope - worth(sums, before, gradients)) / 2e-5;
        sums[g] = kept;
        TRIAL_NEAR(trial_get(trial->slopes, row * GATES_STRIDE + g * CELLS + c), slope, 6e-7);
    }
    EXPECT_NEAR((double)trial->state_gradient[at],
                (worth(sums, before + 1e-5, gradients) - worth(sums, before - 1e-5, gradients)) /
                    2e-5,
                6e-7);
}

static void check_backward(const struct text_kernels *kernels)
{
    for (int first = 0; first < 2; first++) {
        struct trial trial;
        float given[ROWS * CELLS_STRIDE];

        trial_make(&trial, first);
        trial.back.step = &trial.step;
        memcpy(given, trial.state_gradient, sizeof given);
        kernels->lstm->forward(&trial.step, 0, ROWS);
        kernels->lstm->backward(&trial.back, 0, ROWS);
        for (long row = 0; row < ROWS; row++)
            for (long c = 0; c < CELLS; c++)
                check_cell(&trial, row, c, (double)given[row * CELLS_STRIDE + c]);
        trial_free(&trial);
    }
}

static void the_way_back_gives_the_differences_that_small_changes_make(void)
{
    trial_each(check_backward);
}

static void check_cuts(const struct text_kernels *kernels)
{
    struct trial whole, cut;

    noise_state = 7;
    trial_make(&whole, false);
    noise_state = 7;
    trial_make(&cut, false);
    whole.back.step = &whole.step;
    cut.back.step = &cut.step;
    cut.step.gates = cut.sums; /* in place */
    kernels->lstm->forward(&whole.step, 0, ROWS);
    kernels->lstm->backward(&whole.back, 0, ROWS);
    for (long r = 0; r < ROWS; r++) {
        kernels->lstm->forward(&cut.step, r, r + 1);
        kernels->lstm->backward(&cut.back, r, r + 1);
    }
    EXPECT(memcmp(whole.output, cut.output, ROWS * CELLS * trial_size()) == 0);
    EXPECT(memcmp(whole.slopes, cut.slopes, ROWS * GATES_STRIDE * trial_size()) == 0);
    EXPECT(memcmp(whole.state_gradient, cut.state_gradient,
                  ROWS * CELLS_STRIDE * sizeof(float)) == 0);
    trial_free(&whole);
    trial_free(&cut);
}

static void rows_one_by_one_and_in_place_give_the_same_bits(void)
{
    trial_each(check_cuts);
}

int main(void)
{
    RUN(a_step_is_what_the_definition_says);
    RUN(the_way_back_gives_the_differences_that_small_changes_make);
    RUN(rows_one_by_one_and_in_place_give_the_same_bits);
    return test_result();
}
