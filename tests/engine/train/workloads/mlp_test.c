#include "engine/train/workloads/mlp.h"

#include "common/cleanup.h"
#include "engine/train/threads/host.h"
#include "tests/test.h"

#include <math.h>

#define INPUTS 1024
#define HIDDEN 512
#define CLASSES 10
#define BATCH_MAX 3

/* The same training by the textbook, in double and in plain loops. */
static struct {
    double input[BATCH_MAX][INPUTS], w1[INPUTS][HIDDEN], w2[HIDDEN][CLASSES];
    double hidden[BATCH_MAX][HIDDEN], gradient[BATCH_MAX][CLASSES];
} reference;

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 16777216.0 - 0.5;
}

static void reference_start(int batch, unsigned seed)
{
    for (int i = 0; i < batch; i++)
        for (int k = 0; k < INPUTS; k++)
            reference.input[i][k] = 2 * noise(&seed);
    for (int k = 0; k < INPUTS; k++)
        for (int h = 0; h < HIDDEN; h++)
            reference.w1[k][h] = 2 / sqrt(INPUTS) * noise(&seed);
    for (int h = 0; h < HIDDEN; h++)
        for (int c = 0; c < CLASSES; c++)
            reference.w2[h][c] = 2 / sqrt(HIDDEN) * noise(&seed);
}

/* Returns the loss of sample i and leaves the gradient of its logits. */
static double reference_forward(int i, int batch)
{
    double logits[CLASSES] = {0}, sum = 0;

    for (int h = 0; h < HIDDEN; h++) {
        double value = 0;

        for (int k = 0; k < INPUTS; k++)
            value += reference.input[i][k] * reference.w1[k][h];
        reference.hidden[i][h] = fmax(value, 0);
        for (int c = 0; c < CLASSES; c++)
            logits[c] += reference.hidden[i][h] * reference.w2[h][c];
    }
    for (int c = 0; c < CLASSES; c++)
        sum += exp(logits[c]);
    for (int c = 0; c < CLASSES; c++)
        reference.gradient[i][c] = (exp(logits[c]) / sum - (c == i % CLASSES)) / batch;
    return log(sum) - logits[i % CLASSES];
}

static double reference_step(int batch)
{
    static double back[BATCH_MAX][HIDDEN];
    double loss = 0;

    for (int i = 0; i < batch; i++) {
        loss += reference_forward(i, batch) / batch;
        for (int h = 0; h < HIDDEN; h++) {
            back[i][h] = 0;
            for (int c = 0; c < CLASSES && reference.hidden[i][h] > 0; c++)
                back[i][h] += reference.gradient[i][c] * reference.w2[h][c];
        }
    }
    for (int i = 0; i < batch; i++)
        for (int h = 0; h < HIDDEN; h++) {
            for (int c = 0; c < CLASSES; c++)
                reference.w2[h][c] -= 0.1 * reference.hidden[i][h] * reference.gradient[i][c];
            for (int k = 0; k < INPUTS && back[i][h] != 0; k++)
                reference.w1[k][h] -= 0.1 * reference.input[i][k] * back[i][h];
        }
    return loss;
}

/* Ten losses of ten updates: each depends on every gradient before it. */
static void training_agrees_with_the_textbook(void)
{
    static const int batches[] = {1, BATCH_MAX};

    for (size_t i = 0; i < COUNT(batches); i++) {
        struct error err = {0};
        struct net *mlp = mlp_new(batches[i], 7, &err);

        EXPECT(mlp != NULL);
        reference_start(batches[i], 7);
        for (int step = 0; step < 10; step++) {
            double loss = -1, wanted = reference_step(batches[i]);
            struct step_split split = {0};
            long long start = host_clock_ns();

            EXPECT(net_step(mlp, &loss, &split, &err));
            EXPECT_NEAR(loss, wanted, 1e-4 * wanted + 1e-6);
            EXPECT(split.forward > 0 && split.backward > 0 && split.update > 0);
            EXPECT(split.forward + split.backward + split.update <= host_clock_ns() - start);
        }
        EXPECT_STR(err.message, "");
        net_free(mlp);
    }
}

static double loss_after(long batch, unsigned seed, int steps)
{
    struct net *mlp = mlp_new(batch, seed, NULL);
    struct step_split split;
    double loss = -1;

    EXPECT(mlp != NULL);
    for (int i = 0; i < steps; i++)
        EXPECT(net_step(mlp, &loss, &split, NULL));
    net_free(mlp);
    return loss;
}

/* Nothing is known at first, so the loss is about that of guessing; then the net learns the
 * noise by heart. */
static void the_net_learns_a_small_batch_by_heart(void)
{
    EXPECT_NEAR(loss_after(20, 1, 1), log(CLASSES), 0.5);
    EXPECT(loss_after(20, 1, 60) < 0.1);
}

static void the_same_seed_gives_the_same_training(void)
{
    double one = loss_after(8, 5, 3);

    EXPECT_NEAR(loss_after(8, 5, 3), one, 1e-9);
    EXPECT(fabs(loss_after(8, 6, 3) - one) > 1e-6);
}

static void threads_change_the_time_and_not_the_result(void)
{
    host_set_threads(1);
    double alone = loss_after(64, 1, 5);

    host_set_threads(2);
    EXPECT_NEAR(loss_after(64, 1, 5), alone, 1e-4);
}

static void nothing_can_be_freed(void)
{
    net_free(NULL);
    EXPECT(true);
}

int main(void)
{
    RUN(training_agrees_with_the_textbook);
    RUN(the_net_learns_a_small_batch_by_heart);
    RUN(the_same_seed_gives_the_same_training);
    RUN(threads_change_the_time_and_not_the_result);
    RUN(nothing_can_be_freed);
    return test_result();
}
