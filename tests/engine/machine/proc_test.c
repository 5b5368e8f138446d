#include "engine/machine/proc.h"

#include "tests/engine/tree.h"

TEST_WITH_TREE(a_number_of_a_process_is_found_by_its_place)
{
    tree_put(tree, "/proc/7/stat", "7 (a ) (name 9) S 40 50 60 -70");
    EXPECT_INT(proc_stat_number(tree->root, "7", 4), 40);
    EXPECT_INT(proc_stat_number(tree->root, "7", 6), 60);
    EXPECT_INT(proc_stat_number(tree->root, "7", 7), -70);
    EXPECT_INT(proc_stat_number(tree->root, "7", 8), -1);
    EXPECT_INT(proc_stat_number(tree->root, "7", 51), -1);
}

TEST_WITH_TREE(several_numbers_are_of_one_moment)
{
    static const int places[] = {4, 6, 7}, too_far[] = {4, 8};
    long long numbers[3] = {0};

    tree_put(tree, "/proc/7/stat", "7 (a ) (name 9) S 40 50 60 -70");
    EXPECT(proc_stat_numbers(tree->root, "7", places, 3, numbers));
    EXPECT_INT(numbers[0], 40);
    EXPECT_INT(numbers[1], 60);
    EXPECT_INT(numbers[2], -70);
    EXPECT(!proc_stat_numbers(tree->root, "7", too_far, 2, numbers));
    EXPECT(!proc_stat_numbers(tree->root, "8", places, 3, numbers));
}

TEST_WITH_TREE(where_there_is_no_number_it_is_minus_one)
{
    EXPECT_INT(proc_stat_number(tree->root, "7", 4), -1);
    tree_put(tree, "/proc/7/stat", "7 no bracket 1 2 3");
    EXPECT_INT(proc_stat_number(tree->root, "7", 4), -1);
    tree_put(tree, "/proc/8/stat", "8 (name) S many");
    EXPECT_INT(proc_stat_number(tree->root, "8", 4), -1);
}

TEST(our_own_environment_lies_somewhere)
{
    long long start = proc_stat_number("", "self", 50), end = proc_stat_number("", "self", 51);

    EXPECT(start > 0 && end > start);
}
