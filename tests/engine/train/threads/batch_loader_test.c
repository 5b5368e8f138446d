#include "engine/train/threads/batch_loader.h"

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

TEST(what_was_started_is_made_when_it_was_waited_for)
{
    for (int workers = 1; workers <= 5; workers++) {
        struct batch batch = {.round = 0};
        struct batch_loader *loader = batch_loader_new(workers, make, &batch, NULL);

        for (batch.round = 1; batch.round <= 50;) {
            batch_loader_start(loader);
            batch_loader_wait(loader);
            for (int i = 0; i < SHARES; i++)
                EXPECT_INT(batch.made[i], batch.round);
            batch.round++;
        }
        batch_loader_free(loader);
    }
}

TEST(it_can_be_freed_at_work_and_idle)
{
    struct batch batch = {.round = 1};
    struct batch_loader *loader = batch_loader_new(2, make, &batch, NULL);

    batch_loader_free(loader);
    loader = batch_loader_new(2, make, &batch, NULL);
    batch_loader_start(loader);
    batch_loader_free(loader);
    EXPECT_INT(batch.made[SHARES - 1], 1);
    batch_loader_free(NULL);
}
