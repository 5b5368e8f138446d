#include "common/chance.h"

#include "tests/test.h"

#define HOUR_NS 3600000000000LL

TEST(a_seed_gives_the_same_numbers_everywhere)
{
    struct chance one = chance_from("01ARZ3NDEKTSV4RRFFQ69G5FAV"), zero = {0};
    struct chance other = chance_from("01ARZ3NDEKTSV4RRFFQ69G5FAW"), same = one;

    EXPECT(chance_next(&one) == 0xf2125ae712f7f034u);
    EXPECT(chance_next(&same) != chance_next(&other));
    EXPECT(chance_next(&zero) == 0xe220a8397b1dcdafu); /* as the authors' program prints it */
}

TEST(a_pause_lies_between_its_bounds_and_fills_them)
{
    struct chance chance = {7};
    double least = 2, most = 0, sum = 0;

    for (int i = 0; i < 10000; i++) {
        double share = (double)chance_jitter(&chance, HOUR_NS, 0.5, 1.5) / HOUR_NS;

        EXPECT(share >= 0.5 && share <= 1.5);
        least = share < least ? share : least;
        most = share > most ? share : most;
        sum += share;
    }
    EXPECT_NEAR(least, 0.5, 0.01);
    EXPECT_NEAR(most, 1.5, 0.01);
    EXPECT_NEAR(sum / 10000, 1, 0.02);
}

TEST(numbers_below_a_limit_are_as_frequent_as_each_other)
{
    struct chance chance = chance_from("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    int counts[10] = {0};

    for (int i = 0; i < 100000; i++)
        counts[chance_below(&chance, 10)]++;
    for (int i = 0; i < 10; i++)
        EXPECT_NEAR(counts[i], 10000, 400);
    EXPECT_INT((long long)chance_below(&chance, 1), 0);
}

TEST(neighbouring_seeds_give_different_pauses)
{
    struct chance one = {1}, two = {2};
    long long first = chance_jitter(&one, HOUR_NS, 0.9, 1.1);
    long long second = chance_jitter(&two, HOUR_NS, 0.9, 1.1);

    EXPECT(first != second);
}
