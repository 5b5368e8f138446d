#include "engine/sweep/sweep_order.h"

#include "common/cleanup.h"
#include "tests/test.h"

#define CELLS 7

static void every_block_has_every_cell_once(void)
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

static void every_second_block_is_the_one_before_reversed(void)
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
static void each_cell_comes_first_about_as_often(void)
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

static void the_order_follows_from_the_seed(void)
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

int main(void)
{
    RUN(every_block_has_every_cell_once);
    RUN(every_second_block_is_the_one_before_reversed);
    RUN(each_cell_comes_first_about_as_often);
    RUN(the_order_follows_from_the_seed);
    return test_result();
}
