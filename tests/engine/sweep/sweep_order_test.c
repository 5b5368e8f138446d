#include "engine/sweep/sweep_order.h"

#include "tests/test.h"

#define CELLS 7

TEST(every_block_has_every_cell_once)
{
    for (long long block = 0; block < 20; block++) {
        size_t order[CELLS];
        bool seen[CELLS] = {false};

        sweep_order("01ARZ3NDEKTSV4RRFFQ69G5FAV", block, CELLS, order);
        for (size_t i = 0; i < CELLS; i++) {
            EXPECT(order[i] < CELLS && !seen[order[i]]);
            seen[order[i]] = true;
        }
    }
}

TEST(every_second_block_is_the_one_before_reversed)
{
    for (long long block = 0; block < 20; block += 2) {
        size_t there[CELLS], back[CELLS];

        sweep_order("seed", block, CELLS, there);
        sweep_order("seed", block + 1, CELLS, back);
        for (size_t i = 0; i < CELLS; i++)
            EXPECT_INT((long long)back[i], (long long)there[CELLS - 1 - i]);
    }
}

/* Otherwise the first cell would always be measured on a cooler machine. */
TEST(each_cell_comes_first_about_as_often)
{
    int first[CELLS] = {0};
    char seed[32];

    for (int i = 0; i < 700; i++) {
        size_t order[CELLS];

        snprintf(seed, sizeof seed, "sweep %d", i);
        sweep_order(seed, 0, CELLS, order);
        first[order[0]]++;
    }
    for (int i = 0; i < CELLS; i++)
        EXPECT_NEAR(first[i], 100, 40);
}

TEST(the_order_follows_from_the_seed)
{
    size_t one[CELLS], same[CELLS], single[1];
    int different = 0;

    sweep_order("a", 4, CELLS, one);
    sweep_order("a", 4, CELLS, same);
    for (size_t i = 0; i < CELLS; i++)
        EXPECT_INT((long long)one[i], (long long)same[i]);
    for (long long block = 0; block < 20; block += 2) {
        sweep_order("a", block, CELLS, same);
        for (size_t i = 0; i < CELLS; i++)
            different += one[i] != same[i];
    }
    EXPECT(different > 20);
    sweep_order("a", 3, 1, single);
    EXPECT_INT((long long)single[0], 0);
}
