/* The losses of every set against double. */
#include "engine/train/kernels/text/cross_entropy.h"

#include "tests/engine/train/kernels/text/text_trial.h"

#define ROWS 9
#define STRIDE 80

static int32_t labels[ROWS];
static float losses[ROWS];

static struct cross_entropy loss_of(const void *logits, long classes, void *gradient)
{
    for (long r = 0; r < ROWS; r++)
        labels[r] = (int32_t)(r * 5 % classes);
    return (struct cross_entropy){.classes = classes,
                                  .stride = STRIDE,
                                  .logits = logits,
                                  .labels = labels,
                                  .losses = losses,
                                  .gradient = gradient,
                                  .scale = 0.25f};
}

static double share_of(const void *logits, long row, long classes, long class)
{
    double sum = 0;

    for (long c = 0; c < classes; c++)
        sum += exp(trial_get(logits, row * STRIDE + c));
    return exp(trial_get(logits, row * STRIDE + class)) / sum;
}

static void check_softmax(const struct text_kernels *kernels)
{
    const long classes_of[] = {1, 2, 10, 57, 64, 79};

    for (size_t k = 0; k < COUNT(classes_of); k++) {
        long classes = classes_of[k];
        void *logits = trial_numbers(ROWS * STRIDE, 20);
        void *gradient = trial_numbers(ROWS * STRIDE, 1),
             *before = trial_memory(ROWS * STRIDE * 4);
        struct cross_entropy loss = loss_of(logits, classes, gradient);

        memcpy(before, gradient, ROWS * STRIDE * trial_size());
        kernels->loss->softmax(&loss, 0, ROWS);
        for (long r = 0; r < ROWS; r++) {
            EXPECT_NEAR((double)losses[r], -log(share_of(logits, r, classes, labels[r])), 4e-6);
            for (long c = 0; c < STRIDE; c++) {
                double share = c < classes ? share_of(logits, r, classes, c) : 0;
                double slope = 0.25 * (share - (c == labels[r]));

                if (c >= classes)
                    EXPECT(trial_get(gradient, r * STRIDE + c) ==
                           trial_get(before, r * STRIDE + c));
                else
                    TRIAL_NEAR(trial_get(gradient, r * STRIDE + c), slope, 3e-7);
            }
        }
        free(logits);
        free(gradient);
        free(before);
    }
}

static void a_softmax_and_its_gradient_are_what_the_definition_says(void)
{
    trial_each(check_softmax);
}

static void check_extremes(const struct text_kernels *kernels)
{
    void *logits = trial_memory(ROWS * STRIDE * sizeof(float));
    struct cross_entropy loss = loss_of(logits, 40, NULL);

    trial_put(logits, 7, 9e4f);
    trial_put(logits, STRIDE + 39, NAN);
    trial_put(logits, 2 * STRIDE + 3, NAN);
    kernels->loss->softmax(&loss, 0, 3);
    EXPECT(losses[0] > 8.9e4f && losses[0] < 9.1e4f);
    EXPECT(isnan(losses[1]));
    EXPECT(isnan(losses[2]));
    free(logits);
}

static void large_logits_do_not_overflow_and_what_is_no_number_shows(void)
{
    trial_each(check_extremes);
}

static void check_cuts(const struct text_kernels *kernels)
{
    void *logits = trial_numbers(ROWS * STRIDE, 4);
    void *apart = trial_memory(ROWS * STRIDE * sizeof(float));
    struct cross_entropy loss = loss_of(logits, 71, apart);
    float before[ROWS];

    memcpy(apart, logits, ROWS * STRIDE * trial_size());
    kernels->loss->softmax(&loss, 0, ROWS);
    memcpy(before, losses, sizeof before);
    loss.gradient = logits;
    for (long r = 0; r < ROWS; r++)
        kernels->loss->softmax(&loss, r, r + 1);
    EXPECT(memcmp(before, losses, sizeof before) == 0);
    EXPECT(memcmp(apart, logits, ROWS * STRIDE * trial_size()) == 0);
    free(logits);
    free(apart);
}

static void rows_one_by_one_and_in_place_give_the_same_bits(void)
{
    trial_each(check_cuts);
}

static void check_sigmoid(const struct text_kernels *kernels)
{
    const float logits_of[ROWS] = {0, 1.5f, -1.5f, 30, -30, 120, -120, 0.01f, NAN};
    void *logits = trial_memory(ROWS * STRIDE * sizeof(float));
    void *gradient = trial_memory(ROWS * STRIDE * sizeof(float));
    struct cross_entropy loss = loss_of(logits, 1, gradient);

    for (long r = 0; r < ROWS; r++) {
        trial_put(logits, r * STRIDE, logits_of[r]);
        labels[r] = r % 3 == 1;
    }
    kernels->loss->sigmoid(&loss, 0, ROWS);
    for (long r = 0; r < ROWS - 1; r++) {
        double z = trial_get(logits, r * STRIDE), share = 1 / (1 + exp(-z));
        double lost = labels[r] ? log1p(exp(-z)) : z + log1p(exp(-z));

        EXPECT_NEAR((double)losses[r], z < -100 && !labels[r] ? 0 : lost, 1e-5);
        TRIAL_NEAR(trial_get(gradient, r * STRIDE), 0.25 * (share - labels[r]), 1e-7);
    }
    EXPECT(isnan(losses[ROWS - 1]));
    free(logits);
    free(gradient);
}

static void the_loss_of_one_logit_is_exact_far_from_zero(void)
{
    trial_each(check_sigmoid);
}

int main(void)
{
    RUN(a_softmax_and_its_gradient_are_what_the_definition_says);
    RUN(large_logits_do_not_overflow_and_what_is_no_number_shows);
    RUN(rows_one_by_one_and_in_place_give_the_same_bits);
    RUN(the_loss_of_one_logit_is_exact_far_from_zero);
    return test_result();
}
