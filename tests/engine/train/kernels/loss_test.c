#include "engine/train/kernels/loss.h"

#include "tests/test.h"

#include <math.h>

TEST(equal_logits_lose_the_logarithm_of_their_number)
{
    float row[1000] = {0};

    EXPECT_NEAR(loss_cross_entropy(row, COUNT(row), 7, 1), log(1000), 1e-12);
    EXPECT_NEAR((double)row[7], 1e-3 - 1, 1e-7);
    EXPECT_NEAR((double)row[8], 1e-3, 1e-9);
}

TEST(huge_logits_do_not_overflow)
{
    float row[] = {1e30f, -1e30f, 0};

    EXPECT_NEAR(loss_cross_entropy(row, COUNT(row), 0, 1), 0, 0);
    for (size_t i = 0; i < COUNT(row); i++)
        EXPECT_NEAR((double)row[i], 0, 0);
}

/* The row that comes out is what finite differences of the mean loss say. */
TEST(the_gradient_belongs_to_the_loss)
{
    const float logits[] = {0.5f, -1.25f, 2, 0.75f};
    const long batch = 3, label = 1;
    float gradient[COUNT(logits)];

    memcpy(gradient, logits, sizeof gradient);
    (void)loss_cross_entropy(gradient, COUNT(logits), label, batch);
    for (size_t i = 0; i < COUNT(logits); i++) {
        const float step = 1.0f / 1024;
        float up[COUNT(logits)], down[COUNT(logits)];
        double difference;

        memcpy(up, logits, sizeof up);
        memcpy(down, logits, sizeof down);
        up[i] += step;
        down[i] -= step;
        difference = loss_cross_entropy(up, COUNT(up), label, 1) -
                     loss_cross_entropy(down, COUNT(down), label, 1);
        EXPECT_NEAR((double)gradient[i], difference / (2 * (double)step) / (double)batch, 1e-6);
    }
}
