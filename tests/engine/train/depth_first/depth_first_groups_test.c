#include "engine/train/depth_first/depth_first_groups.h"

#include "tests/test.h"

TEST(at_most_sixteen_groups_share_what_threads_there_are)
{
    static const int sizes[][2] = {{1, 1}, {2, 1}, {16, 1}, {17, 2}, {48, 3}, {96, 6}, {256, 16}};

    for (size_t i = 0; i < COUNT(sizes); i++)
        EXPECT_INT(depth_first_group_size(sizes[i][0], 0), sizes[i][1]);
    EXPECT_INT(depth_first_group_size(8, 3), 3);
    EXPECT_INT(depth_first_group_size(2, 3), 2); /* no more than there are */
}

TEST(the_first_thread_of_a_group_leads_it)
{
    static const int leaders[] = {0, 0, 0, 3, 3, 3, 6};
    struct lane lanes[COUNT(leaders)];
    struct depth_first depth_first = {
        .lanes = lanes, .lane_count = (int)COUNT(leaders), .group = 3};

    for (size_t i = 0; i < COUNT(leaders); i++)
        lanes[i] = (struct lane){.depth_first = &depth_first, .index = (int)i};
    for (size_t i = 0; i < COUNT(leaders); i++)
        EXPECT_INT(depth_first_leader(&lanes[i]) - lanes, leaders[i]);
}

/* Otherwise one stage's update would read what the next stage's gradients overwrite. */
TEST(stages_that_follow_each_other_sum_in_different_memory)
{
    static struct depth_first depth_first = {.stages = {.count = 3}, .head = {.count = 1}};
    float even, odd;
    const struct lane lane = {.depth_first = &depth_first, .weight_sums = {&even, &odd}};
    const struct stage *list = depth_first.stages.list;

    for (int i = 0; i < 3; i++)
        depth_first.stages.list[i].count = 1;
    /* Backward: the head comes first, then the last stage. */
    EXPECT(depth_first_sum(&lane, &depth_first.head, 0) == &odd);
    EXPECT(depth_first_sum(&lane, &list[2], 0) == &even);
    EXPECT(depth_first_sum(&lane, &list[1], 0) == &odd);
    EXPECT(depth_first_sum(&lane, &list[0], 0) == &even);
}
