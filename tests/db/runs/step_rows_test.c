#include "db/runs/step_rows.h"

#include "tests/db/database.h"

#include <math.h>

#define STEP(ns, number) .nanoseconds = (ns), .loss = (number)

static long long queue_one(struct db *db)
{
    AUTO(run_clear) struct run run = queue_run(db);

    return run.number;
}

TEST_WITH_DATABASE(appended_rows_are_loaded_in_order)
{
    const struct step early[] = {{STEP(10, 5.5)}, {STEP(20, 0.1)}};
    const struct step late[] = {{STEP(30, -1e300)}, {STEP(40, 0)}};
    AUTO(steps_free) struct steps steps = {0};
    long long run = queue_one(db), other = queue_one(db);

    EXPECT(step_rows_append(db, run, 2, late, 2, NULL));
    EXPECT(step_rows_append(db, other, 0, late, 1, NULL));
    EXPECT(step_rows_append(db, run, 0, early, 2, NULL));
    EXPECT(step_rows_load(db, run, 0, 100, &steps, NULL));
    EXPECT_INT((long long)steps.count, 4);
    for (size_t i = 0; i < steps.count; i++) {
        const struct step *wanted = i < 2 ? &early[i] : &late[i - 2];

        EXPECT_INT(steps.items[i].nanoseconds, wanted->nanoseconds);
        EXPECT_NEAR(steps.items[i].loss, wanted->loss, 0);
    }
}

TEST_WITH_DATABASE(a_split_is_kept_and_so_is_its_absence)
{
    const struct step steps[] = {{.nanoseconds = 100, .split = {1, 20, 30, 4, 0}},
                                 {.nanoseconds = 100, .split = {0, 0, 100, 0, 0}},
                                 {STEP(100, 1)}};
    AUTO(steps_free) struct steps loaded = {0};
    long long run = queue_one(db);

    EXPECT(step_rows_append(db, run, 0, steps, COUNT(steps), NULL));
    EXPECT(step_rows_load(db, run, 0, 100, &loaded, NULL));
    EXPECT_INT((long long)loaded.count, (long long)COUNT(steps));
    for (size_t i = 0; i < loaded.count; i++) {
        EXPECT_SAME(loaded.items[i].split, steps[i].split, input, forward, backward, update);
    }
    EXPECT(!step_split_is_known(&loaded.items[2].split));
    EXPECT_ROWS(db, 1,
                "steps WHERE input_ns IS NULL AND forward_ns IS NULL AND backward_ns IS NULL AND"
                " update_ns IS NULL");
}

TEST_WITH_DATABASE(pages_begin_where_they_are_asked_to_and_add_up)
{
    AUTO(steps_free) struct steps steps = {0};
    long long run = queue_one(db);
    struct step some[100];

    for (int i = 0; i < 100; i++)
        some[i] = (struct step){STEP(i + 1, i)};
    EXPECT(step_rows_append(db, run, 0, some, 100, NULL));
    for (size_t before = steps.count + 1; steps.count != before;) {
        before = steps.count;
        EXPECT(step_rows_load(db, run, (long long)steps.count, 7, &steps, NULL));
        EXPECT(steps.count - before <= 7);
    }
    EXPECT_INT((long long)steps.count, 100);
    for (size_t i = 0; i < steps.count; i++)
        EXPECT_INT(steps.items[i].nanoseconds, (long long)i + 1);
}

TEST_WITH_DATABASE(the_run_counts_its_steps)
{
    const struct step some[] = {{STEP(10, 1)}, {STEP(20, 1)}, {STEP(30, 1)}};
    long long run = queue_one(db);

    EXPECT(step_rows_append(db, run, 0, some, 3, NULL));
    EXPECT(step_rows_append(db, run, 3, some, 2, NULL));
    EXPECT(step_rows_append(db, run, 5, some, 0, NULL)); /* nothing is fine */
    EXPECT_INT(number_of(db, "SELECT steps FROM runs"), 5);
    EXPECT_ROWS(db, 5, "steps");
}

TEST_WITH_DATABASE(a_run_without_steps_loads_none)
{
    AUTO(steps_free) struct steps steps = {0};

    EXPECT(step_rows_load(db, queue_one(db), 0, 100, &steps, NULL));
    EXPECT(step_rows_load(db, 999, 0, 100, &steps, NULL));
    EXPECT_INT((long long)steps.count, 0);
}

/* One bad step among good ones, and none is kept. */
TEST_WITH_DATABASE(a_batch_is_kept_whole_or_not_at_all)
{
    static const struct {
        long long run, position;
        struct step last;
    } bad[] = {
        {1, 2, {STEP(10, 1)}},   /* its second step is at a position that is taken */
        {1, 10, {STEP(0, 1)}},   /* no step takes no time */
        {1, 10, {STEP(-5, 1)}},  /* or less */
        {1, 10, {STEP(5, NAN)}}, /* the loss of a diverged run */
        {2, 10, {STEP(5, 1)}},   /* no such run */
        {1, 10, {.nanoseconds = 5, .split = {2, 2, 1, 1, 0}}},  /* more than the whole */
        {1, 10, {.nanoseconds = 5, .split = {-1, 2, 1, 1, 0}}}, /* less than nothing */
    };
    const struct step good = {STEP(10, 1)};

    EXPECT_INT(queue_one(db), 1);
    EXPECT(step_rows_append(db, 1, 3, &good, 1, NULL));
    for (size_t i = 0; i < COUNT(bad); i++) {
        const struct step batch[] = {good, bad[i].last};

        EXPECT_ERROR(step_rows_append(db, bad[i].run, bad[i].position, batch, 2, &err),
                     ERROR_INTERNAL);
        EXPECT_ROWS(db, 1, "steps");
        EXPECT_INT(number_of(db, "SELECT steps FROM runs"), 1);
    }
    EXPECT(step_rows_append(db, 1, 4, &good, 1, NULL)); /* and the connection still works */
}

TEST_WITH_DATABASE(steps_go_with_their_run)
{
    const struct step good = {STEP(10, 1)};

    EXPECT(step_rows_append(db, queue_one(db), 0, &good, 1, NULL));
    execute(db, "DELETE FROM runs");
    EXPECT_ROWS(db, 0, "steps");
}
