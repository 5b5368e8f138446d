/* Steps of every optimizer and set against double. */
#include "engine/train/kernels/text/learn.h"

#include "tests/engine/train/kernels/text/text_trial.h"

#define COUNTED 53

struct state {
    float weights[COUNTED], gradient[COUNTED], first[COUNTED], second[COUNTED];
    uint32_t copy[COUNTED];
};

static struct learn_rule rule_at(enum learn_kind kind, int step)
{
    return (struct learn_rule){
        .kind = kind,
        .rate = 0.01f,
        .momentum = 0.9f,
        .rho = 0.95f,
        .beta1 = 0.9f,
        .beta2 = 0.999f,
        .eps = 1e-6f,
        .weight_decay = kind == LEARN_SGD || kind == LEARN_ADAMW ? 0.1f : 0,
        .first_scale = (float)(1 / (1 - pow(0.9, step + 1))),
        .second_scale = (float)(1 / (1 - pow(0.999, step + 1))),
    };
}

static struct learn_arrays arrays_of(struct state *state, bool copy)
{
    return (struct learn_arrays){.weights = state->weights,
                                 .gradient = state->gradient,
                                 .first = state->first,
                                 .second = state->second,
                                 .copy = copy ? state->copy : NULL};
}

/* Weight and states of one element after a step. */
static void true_step(const struct learn_rule *rule, double g, double e[3])
{
    double rho = (double)rule->rho, eps = (double)rule->eps, rate = (double)rule->rate, step;
    double beta1 = (double)rule->beta1, beta2 = (double)rule->beta2;

    if (rule->kind == LEARN_SGD) {
        e[1] = (double)rule->momentum * e[1] + g + (double)rule->weight_decay * e[0];
        step = e[1];
    } else if (rule->kind == LEARN_RMSPROP) {
        e[1] = rho * e[1] + (1 - rho) * g * g;
        step = g / (sqrt(e[1]) + eps);
    } else if (rule->kind == LEARN_ADADELTA) {
        e[1] = rho * e[1] + (1 - rho) * g * g;
        step = g * sqrt(e[2] + eps) / sqrt(e[1] + eps);
        e[2] = rho * e[2] + (1 - rho) * step * step;
    } else {
        if (rule->kind == LEARN_ADAMW)
            e[0] -= rate * (double)rule->weight_decay * e[0];
        e[1] = beta1 * e[1] + (1 - beta1) * g;
        e[2] = beta2 * e[2] + (1 - beta2) * g * g;
        step = e[1] * (double)rule->first_scale / (sqrt(e[2] * (double)rule->second_scale) + eps);
    }
    e[0] -= rate * step;
}

static void check_kind(const struct text_kernels *kernels, enum learn_kind kind)
{
    struct state state = {.weights = {0}};
    struct learn_arrays arrays = arrays_of(&state, true);
    double wanted[COUNTED][3] = {{0}};

    fill(state.weights, COUNTED);
    for (long i = 0; i < COUNTED; i++)
        wanted[i][0] = (double)state.weights[i];
    for (int step = 0; step < 4; step++) {
        struct learn_rule rule = rule_at(kind, step);

        fill(state.gradient, COUNTED);
        if (step == 3)
            arrays.gradient = NULL;
        kernels->learn->run(&rule, &arrays, 0, COUNTED);
        for (long i = 0; i < COUNTED; i++)
            true_step(&rule, arrays.gradient ? (double)state.gradient[i] : 0, wanted[i]);
    }
    for (long i = 0; i < COUNTED; i++) {
        EXPECT_NEAR((double)state.weights[i], wanted[i][0], 1e-6);
        EXPECT_NEAR((double)state.first[i], wanted[i][1], 1e-6);
        EXPECT_NEAR((double)state.second[i], wanted[i][2], 1e-6);
        TRIAL_NEAR(trial_get(state.copy, i), (double)state.weights[i], 0);
    }
}

static void check_kinds(const struct text_kernels *kernels)
{
    for (int kind = LEARN_SGD; kind <= LEARN_ADAMW; kind++)
        check_kind(kernels, (enum learn_kind)kind);
}

static void each_optimizer_steps_as_its_formula_says(void)
{
    trial_each(check_kinds);
}

static void check_cuts(const struct text_kernels *kernels)
{
    for (int kind = LEARN_SGD; kind <= LEARN_ADAMW; kind++) {
        struct learn_rule rule = rule_at((enum learn_kind)kind, 0);
        struct state whole = {.weights = {0}}, cut;
        struct learn_arrays arrays;

        fill(whole.weights, COUNTED);
        fill(whole.gradient, COUNTED);
        cut = whole;
        arrays = arrays_of(&whole, false);
        kernels->learn->run(&rule, &arrays, 0, COUNTED);
        arrays = arrays_of(&cut, false);
        for (long i = 0; i < COUNTED; i += 5)
            kernels->learn->run(&rule, &arrays, i, i + 5 < COUNTED ? i + 5 : COUNTED);
        EXPECT(memcmp(&whole, &cut, sizeof whole) == 0);
    }
}

static void any_cut_gives_the_same_bits(void)
{
    trial_each(check_cuts);
}

int main(void)
{
    RUN(each_optimizer_steps_as_its_formula_says);
    RUN(any_cut_gives_the_same_bits);
    return test_result();
}
