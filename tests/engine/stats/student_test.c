#include "engine/stats/student.h"

#include "engine/stats/stats.h"
#include "tests/test.h"

#include <math.h>

static const double shares[] = {0.0001, 0.001, 0.01, 0.025, 0.1, 0.2, 0.3,   0.45, 0.499, 0.5,
                                0.501,  0.6,   0.7,  0.74,  0.8, 0.9, 0.975, 0.99, 0.9999};
static const double degrees[] = {1, 1.3, 2, 2.5, 3, 4, 4.99, 5, 7, 12, 30, 100, 1000, 1e6};

TEST(quantiles_are_as_in_printed_tables)
{
    EXPECT_NEAR(normal_quantile(0.975), Z_95, 1e-13);
    EXPECT_NEAR(normal_quantile(1e-9), -5.997807015, 1e-8);
    EXPECT_NEAR(normal_quantile(0.5), 0, 1e-15);
    for (size_t n = 1; n <= 30; n++)
        EXPECT_NEAR(student_quantile(0.975, (double)n), stats_t95(n), 6e-7);
    EXPECT_NEAR(student_quantile(0.9995, 4), 8.610302, 1e-6);
    EXPECT_NEAR(student_quantile(0.75, 1), 1, 1e-12);
    EXPECT_NEAR(student_quantile(0.9, INFINITY), 1.2815515655446004, 1e-12);
}

/* Of two degrees there is a formula: t = (2p - 1) / sqrt(2p(1 - p)). */
TEST(far_tails_are_exact)
{
    for (double tail = 0.4; tail > 1e-12; tail /= 3) {
        double t = (1 - 2 * tail) / sqrt(2 * tail * (1 - tail));

        EXPECT_NEAR(-student_quantile(tail, 2) / t, 1, 1e-9);
        EXPECT_NEAR(student_below(-t, 2) / tail, 1, 1e-9);
    }
}

TEST(quantile_and_share_are_each_others_inverse)
{
    for (size_t i = 0; i < COUNT(degrees); i++)
        for (size_t j = 0; j < COUNT(shares); j++) {
            double t = student_quantile(shares[j], degrees[i]);

            EXPECT_NEAR(student_below(t, degrees[i]), shares[j], 1e-10);
            EXPECT_NEAR(student_below(-t, degrees[i]), 1 - shares[j], 1e-10);
        }
    for (size_t j = 0; j < COUNT(shares); j++)
        EXPECT_NEAR(normal_below(normal_quantile(shares[j])), shares[j], 1e-14);
}

TEST(the_quick_quantile_is_within_a_thousandth)
{
    for (double n = 1; n <= 200; n++)
        for (size_t j = 0; j < COUNT(shares); j++) {
            double exact = student_quantile(shares[j], n);

            EXPECT_NEAR(student_from_normal(shares[j], normal_quantile(shares[j]), n), exact,
                        0.001 * fabs(exact) + 1e-12);
        }
}

TEST(a_share_outside_has_no_quantile)
{
    EXPECT(isnan(normal_quantile(-0.1)) && isnan(normal_quantile(NAN)));
    EXPECT(isinf(normal_quantile(1)) && isinf(student_quantile(0, 3)));
}

/* Satterthwaite's formula gives so many where nearly all of an error is known. */
TEST(very_many_degrees_give_the_normal_distribution)
{
    EACH(double, one, 1e8, 1e9, 1e11, 1e15, 1e300) {
        EXPECT_NEAR(student_quantile(0.975, one), normal_quantile(0.975), 1e-6);
        EXPECT_NEAR(student_below(1.5, one), normal_below(1.5), 1e-6);
    }
}
