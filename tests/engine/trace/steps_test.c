#include "engine/trace/steps.h"

#include "tests/test.h"

TEST(steps_are_kept_in_order_however_many)
{
    struct steps steps = {0};

    for (int i = 0; i < 10000; i++) {
        steps_add(&steps, (struct step){.nanoseconds = i + 1, .loss = i / 2.0});
        EXPECT(steps.count == (size_t)i + 1 && steps.size >= steps.count);
    }
    for (int i = 0; i < 10000; i++) {
        EXPECT_INT(steps.items[i].nanoseconds, i + 1);
        EXPECT_NEAR(steps.items[i].loss, i / 2.0, 0);
    }
    steps_free(&steps);
}

TEST(freed_steps_can_be_used_again)
{
    struct steps steps = {0};

    steps_add(&steps, (struct step){.nanoseconds = 1});
    steps_free(&steps);
    EXPECT(steps.items == NULL && steps.count == 0 && steps.size == 0);
    steps_add(&steps, (struct step){.nanoseconds = 2});
    EXPECT_INT((long long)steps.count, 1);
    EXPECT_INT(steps.items[0].nanoseconds, 2);
    steps_free(&steps);
}

TEST(a_split_is_known_if_any_part_is)
{
    EXPECT(!step_split_is_known(&(struct step_split){0}));
    EXPECT(step_split_is_known(&(struct step_split){.input = 1}));
    EXPECT(step_split_is_known(&(struct step_split){.forward = 1}));
    EXPECT(step_split_is_known(&(struct step_split){.backward = 1}));
    EXPECT(step_split_is_known(&(struct step_split){.update = 1}));
}
