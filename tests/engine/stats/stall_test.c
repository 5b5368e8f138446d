#include "engine/stats/stall.h"

#include "tests/test.h"

#include <stdlib.h>

static int by_size(const void *left, const void *right)
{
    long long l = *(const long long *)left, r = *(const long long *)right;

    return (l > r) - (l < r);
}

/* Each order of five, with equal ones among them: 5 to the power of 5. */
TEST(a_stall_reads_as_the_median_of_its_five)
{
    for (int code = 0; code < 3125; code++) {
        long long steps[5], sorted[5];
        struct step_view view = {steps, 5, true};

        for (int i = 0, rest = code; i < 5; i++, rest /= 5)
            steps[i] = 100 + 40 * (rest % 5);
        memcpy(sorted, steps, sizeof steps);
        qsort(sorted, 5, sizeof *sorted, by_size);
        for (size_t i = 0; i < 5; i++) {
            double median = (double)sorted[2], step = (double)steps[i];

            EXPECT_NEAR(step_view_at(&view, i), step > 1.5 * median ? median : step, 0);
        }
        EXPECT(stall_is_in(steps, 5) == ((double)sorted[4] > 1.5 * (double)sorted[2]));
    }
}

TEST(the_last_steps_count_with_the_last_full_five)
{
    const long long steps[] = {10, 10, 10, 10, 10, 20, 20, 20, 20, 20, 20, 90};
    const struct step_view view = {steps, COUNT(steps), true};

    EXPECT_NEAR(step_view_at(&view, 4), 10, 0);
    EXPECT_NEAR(step_view_at(&view, 5), 20, 0);
    EXPECT_NEAR(step_view_at(&view, 11), 20, 0);
    EXPECT(stall_is_in(steps, 12) && !stall_is_in(steps, 11));
}

TEST(a_view_that_is_not_tamed_and_few_steps_read_as_they_are)
{
    const long long steps[] = {10, 10, 10, 10, 900};
    const struct step_view as_is = {steps, 5, false}, few = {steps + 1, 4, true};

    EXPECT_NEAR(step_view_at(&as_is, 4), 900, 0);
    EXPECT_NEAR(step_view_at(&few, 3), 900, 0);
    EXPECT(!stall_is_in(steps + 1, 4));
}
