#include "engine/train/threads/batch_loader.h"

#include "common/cleanup.h"
#include "tests/test.h"

#define SHARES 64

struct batch {
    int made[SHARES], round;
};

static void make(void *user, int index, int of)
{
    struct batch *batch = user;

    for (int i = SHARES * index / of; i < SHARES * (index + 1) / of; i++)
        batch->made[i] = batch->round;
}

static void what_was_started_is_made_when_it_was_waited_for(void)
{
    for (int workers = 1; workers <= 5; workers++) {
        struct batch batch = {.round = 0};
        struct feeder *feeder = feeder_new(workers, make, &batch, NULL);

        for (batch.round = 1; batch.round <= 50;) {
            feeder_start(feeder);
            feeder_wait(feeder);
            for (int i = 0; i < SHARES; i++)
                EXPECT_INT(batch.made[i], batch.round);
            batch.round++;
        }
        feeder_free(feeder);
    }
}

static void it_can_be_freed_at_work_and_idle(void)
{
    struct batch batch = {.round = 1};
    struct feeder *feeder = feeder_new(2, make, &batch, NULL);

    feeder_free(feeder);
    feeder = feeder_new(2, make, &batch, NULL);
    feeder_start(feeder);
    feeder_free(feeder);
    EXPECT_INT(batch.made[SHARES - 1], 1);
    feeder_free(NULL);
}

int main(void)
{
    RUN(what_was_started_is_made_when_it_was_waited_for);
    RUN(it_can_be_freed_at_work_and_idle);
    return test_result();
}
