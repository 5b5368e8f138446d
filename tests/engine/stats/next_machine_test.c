#include "engine/stats/next_machine.h"

#include "tests/engine/stats/next_machine_exact.h"
#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#include <math.h>

#define FLEETS 4000
#define USUAL 0.03

static struct next_machine predict(const struct machine_model *models, size_t count)
{
    struct next_machine next = {0};

    EXPECT(next_machine_predict(models, count, USUAL, &next));
    return next;
}

static struct next_machine predict_one(const double *speeds, size_t count)
{
    return predict(&(struct machine_model){speeds, count, 0}, 1);
}

/* All three were quick enough, and still a fourth one may not be: one of four is not. */
TEST(three_machines_that_kept_a_pace_do_not_promise_it)
{
    const double speeds[] = {90, 100, 112};
    struct next_machine next = predict_one(speeds, 3);

    EXPECT_NEAR(next_machine_reaches(&next, 89.5), 0.768, 0.001);
    EXPECT_NEAR(next_machine_reaches(&next, pow(90 * 100 * 112.0, 1 / 3.0)), 0.5, 1e-12);
    EXPECT_NEAR(next_machine_reaches(&next, 0), 1, 0);
}

/* The spread of one machine is unknown, and not 0. */
TEST(one_machine_is_less_sure_than_three_alike)
{
    const double speeds[] = {100, 100.5, 99.5};
    struct next_machine one = predict_one(speeds, 1), three = predict_one(speeds, 3);

    EXPECT(next_machine_reaches(&one, 97) < 0.85);
    EXPECT(next_machine_reaches(&three, 97) > 0.95);
    /* Student's t of 4 degrees at log(1 / 0.97) / (0.03 * sqrt(2)) */
    EXPECT_NEAR(next_machine_reaches(&one, 97), 0.74375, 0.0005);
}

/* Two of three machines were of the model that is quick enough. */
TEST(the_provider_chooses_the_model)
{
    const double quick[] = {100, 100.1, 99.9, 100, 100.1, 99.9}, slow[] = {50, 50.1, 49.9};
    const struct machine_model models[] = {{quick, 6, 0}, {NULL, 0, 0}, {slow, 3, 0}};
    struct next_machine next = predict(models, 3);

    EXPECT_INT((long long)next.count, 2);
    EXPECT_NEAR(next_machine_reaches(&next, 80), 2 / 3.0, 0.001);
    EXPECT_NEAR(next_machine_reaches(&next, 30), 1, 0.001);
    EXPECT_NEAR(next_machine_quantile(&next, 0.9), 100.1, 0.3);
    EXPECT_NEAR(next_machine_quantile(&next, 0.2), 50, 0.2);
}

TEST(quantiles_and_probabilities_are_each_others_inverse)
{
    const double a[] = {100, 110}, b[] = {70, 75, 72, 71};
    const struct machine_model models[] = {{a, 2, 0.02}, {b, 4, 0}};
    struct next_machine next = predict(models, 2);

    for (double share = 0.01; share < 1; share += 0.07)
        EXPECT_NEAR(next_machine_reaches(&next, next_machine_quantile(&next, share)), 1 - share,
                    1e-9);
    EXPECT(isnan(next_machine_quantile(&next, 0)) && isnan(next_machine_quantile(&next, NAN)));
}

TEST(what_was_not_measured_is_not_predicted)
{
    const double bad[] = {100, 0};
    const struct machine_model none = {NULL, 0, 0}, odd = {bad, 2, 0};
    struct next_machine next;

    EXPECT(!next_machine_predict(&none, 1, USUAL, &next));
    EXPECT(!next_machine_predict(NULL, 0, USUAL, &next));
    EXPECT(!next_machine_predict(&odd, 1, USUAL, &next));
}

TEST(machines_without_any_scatter_have_one_speed)
{
    const double speeds[] = {100, 100, 100};
    struct next_machine next = predict_one(speeds, 3);

    EXPECT_NEAR(next_machine_reaches(&next, 99.99), 1, 0);
    EXPECT_NEAR(next_machine_reaches(&next, 100.01), 0, 0);
    EXPECT_NEAR(next_machine_quantile(&next, 0.5), 100, 1e-9);
}

/* Made-up types: their spread from 1 to 9 %, as often half as twice the usual one; some with two
 * models of their own speeds. The next machine keeps, as often as said, the pace for which that
 * probability was said. */
static double kept(size_t machines, double said, bool two_models)
{
    struct chance chance = seeded((long long)(1000 * said) + 77 * (long long)machines);
    int hits = 0;

    for (int i = 0; i < FLEETS; i++) {
        double speeds[2][64], centres[2], share = 0.2 + 0.6 * uniform(&chance);
        double spread = 0.01 * pow(9, uniform(&chance));
        struct machine_model models[2] = {{speeds[0], 0, 0}, {speeds[1], 0, 0}};

        for (size_t model = 0; model < 2; model++)
            centres[model] = 4 + 0.3 * normal(&chance);
        for (size_t j = 0; j <= machines; j++) {
            size_t model = two_models && uniform(&chance) > share;
            double speed = exp(centres[model] + spread * normal(&chance));

            if (j < machines) {
                speeds[model][models[model].count++] = speed;
                continue;
            }
            struct next_machine next = predict(models, 2);
            hits += speed >= next_machine_quantile(&next, 1 - said);
        }
    }
    return (double)hits / FLEETS;
}

TEST(what_is_said_with_a_probability_happens_as_often)
{
    static const double shares[] = {0.5, 0.75, 0.9, 0.95};

    EACH(size_t, count, 1, 2, 3, 5, 10) {
        printf("       %2zu machines:", count);
        for (size_t i = 0; i < COUNT(shares); i++) {
            double happened = kept(count, shares[i], false);

            printf(" said %.2f, happened %.3f;", shares[i], happened);
            /* What is usual is a guess, and these types scatter by other laws than it. */
            EXPECT_NEAR(happened, shares[i], count < NEXT_MACHINE_ENOUGH ? 0.04 : 0.02);
        }
        printf("\n");
    }
    printf("       30 machines of two models:");
    for (size_t i = 0; i < COUNT(shares); i++) {
        double happened = kept(30, shares[i], true);

        printf(" said %.2f, happened %.3f;", shares[i], happened);
        EXPECT_NEAR(happened, shares[i], 0.02);
    }
    printf("\n");
}
