/* Every set of element-wise work gives the same bits, and those are the functions that they are
 * called after. */
#include "engine/train/kernels/elements.h"

#include "engine/train/kernels/elements_math.h"
#include "engine/train/networks/tensor_init.h"
#include "tests/test.h"

#include <math.h>

#define COUNT_OF_NUMBERS 203 /* no multiple of a vector */

static void fill(float *values, size_t count, const char *name, float scale)
{
    tensor_init_fill(values, count, name, 5, scale, 0);
}

TEST(functions_are_right_to_a_unit_of_the_last_place)
{
    double worst_exp = 0, worst_tanh = 0, worst_sigmoid = 0;

    for (int i = -80000; i <= 80000; i++) {
        float x = (float)i * 1e-3f;
        double of_exp = exp((double)x), of_tanh = tanh((double)x);

        worst_exp = fmax(worst_exp, fabs((double)exp_of(x) / of_exp - 1));
        worst_tanh = fmax(worst_tanh, i == 0 ? 0 : fabs((double)tanh_of(x) / of_tanh - 1));
        worst_sigmoid =
            fmax(worst_sigmoid, fabs((double)sigmoid_of(x) - 1 / (1 + exp(-(double)x))));
    }
    EXPECT_NEAR(worst_exp, 0, 2e-7);
    EXPECT_NEAR(worst_tanh, 0, 3e-7);
    EXPECT_NEAR(worst_sigmoid, 0, 1e-7);
    EXPECT(exp_of(-1000) < 1e-37f && exp_of(1000) > 1e38f);
    EXPECT(isnan(exp_of(NAN)) && isnan(tanh_of(NAN)) && isnan(sigmoid_of(NAN)));
}

/* The numbers that a set works on, and behind them all that it writes. */
struct bench {
    float row[COUNT_OF_NUMBERS], other[COUNT_OF_NUMBERS], weight[COUNT_OF_NUMBERS];
    float gradient[COUNT_OF_NUMBERS];
    float normed[COUNT_OF_NUMBERS], input_gradient[COUNT_OF_NUMBERS];
    float weight_gradient[COUNT_OF_NUMBERS], bias_gradient[COUNT_OF_NUMBERS], mean, scale;
    float finished[COUNT_OF_NUMBERS], before[COUNT_OF_NUMBERS];
    float gates[80], cell[20], state[20], cell_gradient[20];
    float softmax[COUNT_OF_NUMBERS], loss_row[COUNT_OF_NUMBERS], dropped[COUNT_OF_NUMBERS];
    float rounded[COUNT_OF_NUMBERS], sums[100];
    uint16_t finished_rounded[COUNT_OF_NUMBERS];
    float pooled[50], unpooled[200];
    int32_t which[50];
    double loss;
};

static void fill_bench(struct bench *b)
{
    memset(b, 0, sizeof *b);
    fill(b->row, COUNT_OF_NUMBERS, "row", 2);
    fill(b->other, COUNT_OF_NUMBERS, "other", 1);
    fill(b->weight, COUNT_OF_NUMBERS, "weight", 1);
    fill(b->gradient, COUNT_OF_NUMBERS, "gradient", 1);
    memcpy(b->finished, b->row, sizeof b->row);
    memcpy(b->softmax, b->row, sizeof b->row);
    memcpy(b->loss_row, b->row, sizeof b->row);
}

static void run_norm(const struct elements *set, struct bench *b)
{
    const struct element_norm norm = {.columns = COUNT_OF_NUMBERS,
                                      .epsilon = 1e-5f,
                                      .weight = b->weight,
                                      .bias = b->other,
                                      .input = b->row,
                                      .output = b->normed,
                                      .mean = &b->mean,
                                      .scale = &b->scale,
                                      .gradient = b->gradient,
                                      .input_gradient = b->input_gradient,
                                      .weight_gradient = b->weight_gradient,
                                      .bias_gradient = b->bias_gradient};

    set->norm_forward(&norm, 0, 1);
    set->norm_backward(&norm, 0, 1);
    set->norm_learn(&norm, 1, 0, COUNT_OF_NUMBERS);
}

static void run_lstm(const struct elements *set, struct bench *b)
{
    const struct element_lstm lstm = {.cells = 20,
                                      .input = b->gates,
                                      .gates = b->gates,
                                      .recurrent = b->other,
                                      .bias = b->weight,
                                      .bias_h = b->gradient,
                                      .before = b->row,
                                      .cell = b->cell,
                                      .state = b->state,
                                      .state_gradient = b->other + 100,
                                      .cell_gradient = b->cell_gradient};

    set->lstm_forward(&lstm);
    set->lstm_backward(&lstm);
}

/* Two pixels of 25 channels, of two lines of four. */
static void run_pool(const struct elements *set, struct bench *b)
{
    const struct element_pool pool = {.from = b->row,
                                      .line = 100,
                                      .bias = b->other,
                                      .relu = true,
                                      .width = 2,
                                      .columns = 25,
                                      .value = b->pooled,
                                      .which = b->which};
    const struct element_unpool unpool = {.gradient = b->pooled,
                                          .which = b->which,
                                          .width = 2,
                                          .columns = 25,
                                          .to = b->unpooled,
                                          .line = 100};

    set->pool(&pool);
    set->pool_backward(&unpool);
}

static void run_all(const struct elements *set, struct bench *b)
{
    const struct element_finish finish = {.from = b->finished,
                                          .value = b->finished,
                                          .rounded = b->finished_rounded,
                                          .bias = b->weight,
                                          .adds = b->other,
                                          .before = b->before,
                                          .activation = ACTIVATION_GELU,
                                          .stride = COUNT_OF_NUMBERS,
                                          .row_end = 1,
                                          .end = COUNT_OF_NUMBERS};
    const struct element_drop drop = {.from = b->row,
                                      .to = b->dropped,
                                      .start = 77,
                                      .keep_from = 1 << 23,
                                      .scale = 2,
                                      .begin = 3,
                                      .end = COUNT_OF_NUMBERS};

    fill_bench(b);
    run_norm(set, b);
    run_lstm(set, b);
    set->finish(&finish);
    set->gelu_backward(b->before, COUNT_OF_NUMBERS, b->gradient);
    set->softmax(b->softmax, COUNT_OF_NUMBERS, 0.5f);
    set->softmax_backward(b->softmax, COUNT_OF_NUMBERS, 0.5f, b->other);
    set->drop(&drop);
    set->relu_backward(b->row, b->weight, COUNT_OF_NUMBERS, b->weight);
    run_pool(set, b);
    b->loss = set->softmax_loss(b->loss_row, COUNT_OF_NUMBERS, 7, 1);
    set->round_floats(b->row, COUNT_OF_NUMBERS, b->rounded);
    set->sum_columns(b->row, 2, 100, 0, 100, b->sums);
}

TEST(every_set_gives_the_same_bits)
{
    static struct bench known, found;
    const struct elements *set;
    int compared = 0;

    run_all(elements_for(CPU_BASE), &known);
    for (int i = 0; (set = elements_at(i)); i++) {
        if (set->isa > cpu_probe())
            continue;
        run_all(set, &found);
        EXPECT(memcmp(&found, &known, sizeof known) == 0);
        compared++;
    }
    EXPECT(compared > 0);
}

TEST(a_softmax_sums_to_one_and_its_loss_is_the_logarithm_of_a_share)
{
    float row[] = {1, 2, 3, 1000}, shares[] = {0, 0}, loss[] = {0, 0};
    const struct elements *set = elements_for(cpu_probe());

    set->softmax(row, 4, 1); /* nothing overflows */
    EXPECT_NEAR((double)row[3], 1, 0);
    set->softmax(shares, 2, 1);
    EXPECT_NEAR((double)shares[0], 0.5, 1e-7);
    EXPECT_NEAR(set->softmax_loss(loss, 2, 1, 3), log(2), 1e-7);
    EXPECT_NEAR((double)loss[0], 1.5, 1e-6);
    EXPECT_NEAR((double)loss[1], -1.5, 1e-6);
}

TEST(bf16_is_rounded_to_the_nearest_and_ties_to_even)
{
    const float values[] = {1, 1.00390625f, 1.01171875f, -1.0039064f, 3.4e38f};
    uint16_t rounded[COUNT(values)];
    const uint16_t known[] = {0x3f80, 0x3f80, 0x3f82, 0xbf81, 0x7f80};

    elements_for(cpu_probe())->round(values, COUNT(values), rounded);
    for (size_t i = 0; i < COUNT(values); i++)
        EXPECT_INT(rounded[i], known[i]);
}

/* Columns 1 and 2 of two rows of three. */
TEST(the_end_of_a_product_leaves_what_it_reads_and_rounds_what_it_writes)
{
    const float from[] = {9, -5, 1, 9, 2, 3}, bias[] = {9, 1, 0.00390625f};
    float value[6] = {0}, rounded_floats[6] = {0};
    uint16_t rounded[6] = {0};
    struct element_finish finish = {.from = from,
                                    .value = value,
                                    .bias = bias,
                                    .activation = ACTIVATION_RELU,
                                    .stride = 3,
                                    .row_end = 2,
                                    .begin = 1,
                                    .end = 3,
                                    .rounded = rounded,
                                    .rounded_floats = rounded_floats};
    const float known[] = {0, 0, 1.00390625f, 0, 3, 3.00390625f};
    const float nearest[] = {0, 0, 1, 0, 3, 3};

    elements_for(cpu_probe())->finish(&finish);
    EXPECT(memcmp(value, known, sizeof known) == 0);
    EXPECT(memcmp(rounded_floats, nearest, sizeof nearest) == 0);
    EXPECT_INT(rounded[0], 0);
    EXPECT_INT(rounded[2], 0x3f80);
    EXPECT_INT(rounded[4], 0x4040);
    finish.bias = NULL;
    elements_for(cpu_probe())->finish(&finish);
    EXPECT_NEAR((double)value[5], 3, 0);
}

/* Two lines of four pixels of two channels, with the bias (1, -2): for the first result the
 * largest are the second pixel and the third; for the second result all are equal, and the last
 * one is the largest. */
TEST(a_pool_takes_the_first_of_the_largest_and_gives_it_the_gradient)
{
    const float pixels[] = {1, 1, 4, 2, 5, -7, 5, -8, 2, 4, 3, 3, 5, -9, 5, -6};
    const float bias[] = {1, -2}, gradient[] = {10, 20, 30, 40};
    const float largest[] = {5, 2, 6, -8}, activated[] = {5, 2, 6, 0};
    const int known[] = {1, 2, 0, 3};
    float value[4], given[16];
    int32_t which[4];
    const struct elements *set = elements_for(cpu_probe());
    struct element_pool pool = {.from = pixels,
                                .line = 8,
                                .bias = bias,
                                .width = 2,
                                .columns = 2,
                                .value = value,
                                .which = which};

    set->pool(&pool);
    EXPECT(memcmp(value, largest, sizeof value) == 0);
    pool.relu = true;
    set->pool(&pool);
    EXPECT(memcmp(value, activated, sizeof value) == 0);
    set->pool_backward(&(struct element_unpool){gradient, which, 2, 2, given, 8});
    for (int i = 0; i < 16; i++) {
        int pixel = i % 8 / 2, of = pixel / 2 * 2 + i % 2; /* the result that sees this number */

        EXPECT_NEAR((double)given[i],
                    known[of] == i / 8 * 2 + pixel % 2 ? (double)gradient[of] : 0, 0);
    }
    for (int i = 0; i < 4; i++)
        EXPECT_INT(which[i], known[i]);
}

/* Five steps of each optimizer, against its formula in f64. */
static void expect_learning(const struct optimizer *o)
{
    float gradient, first = 0, second = 0, value = 0.5f;
    double p = 0.5, m = 0, v = 0;

    for (int t = 1; t <= 5; t++) {
        const struct optimizer_step s = optimizer_at(o, t - 1, true);
        double g = 0.1 * t - 0.25, rate = o->lr / (1 + o->lr_decay * (t - 1)), d;

        gradient = (float)g;
        elements_for(cpu_probe())->learn(&s, 1, &gradient, &first, &second, &value);
        if (o->kind == OPTIMIZER_SGD) {
            m = o->momentum * m + g + o->weight_decay * p;
            p -= rate * m;
        } else if (o->kind == OPTIMIZER_RMSPROP) {
            v = o->rho * v + (1 - o->rho) * g * g;
            p -= rate * g / (sqrt(v) + o->eps);
        } else if (o->kind == OPTIMIZER_ADADELTA) {
            v = o->rho * v + (1 - o->rho) * g * g;
            d = g * sqrt(m + o->eps) / sqrt(v + o->eps);
            m = o->rho * m + (1 - o->rho) * d * d;
            p -= rate * d;
        } else {
            p -= o->kind == OPTIMIZER_ADAMW ? rate * o->weight_decay * p : 0;
            m = o->beta1 * m + (1 - o->beta1) * g;
            v = o->beta2 * v + (1 - o->beta2) * g * g;
            p -=
                rate * (m / (1 - pow(o->beta1, t))) / (sqrt(v / (1 - pow(o->beta2, t))) + o->eps);
        }
    }
    EXPECT_NEAR((double)value, p, 3e-7);
}

TEST(every_optimizer_takes_the_steps_of_its_formula)
{
    for (int kind = OPTIMIZER_SGD; kind <= OPTIMIZER_ADAMW; kind++) {
        const struct optimizer optimizer = {.kind = (enum optimizer_kind)kind,
                                            .lr = 0.05,
                                            .lr_decay = 0.1,
                                            .momentum = 0.9,
                                            .rho = 0.95,
                                            .beta1 = 0.9,
                                            .beta2 = 0.999,
                                            .eps = 1e-4,
                                            .weight_decay = 0.1};

        expect_learning(&optimizer);
    }
}

TEST(only_matrices_decay_in_adamw)
{
    const struct optimizer optimizer = {.kind = OPTIMIZER_ADAMW, .lr = 1, .weight_decay = 0.5};

    EXPECT_NEAR((double)optimizer_at(&optimizer, 0, true).weight_decay, 0.5, 0);
    EXPECT_NEAR((double)optimizer_at(&optimizer, 0, false).weight_decay, 0, 0);
}
