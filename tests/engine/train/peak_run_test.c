#include "engine/train/peak_run.h"

#include "engine/train/canary_run.h"
#include "tests/test.h"

TEST(it_tells_rates_that_exist)
{
    struct peaks one = peaks_measure(1, CPU_BASE, DNN_F32), best;
    enum cpu_isa isa = cpu_probe();

    EXPECT_STR(one.unit, peak_loop_for(CPU_BASE, DNN_F32)->unit);
    EXPECT(one.multiply_adds_per_second > 1e8 && one.multiply_adds_per_second < 1e11);
    EXPECT(one.read_bytes_per_second == 0 ||
           (one.read_bytes_per_second > 1e8 && one.read_bytes_per_second < 1e12));

    best = peaks_measure(1, isa, DNN_BF16);
    EXPECT_STR(best.unit, peak_loop_for(isa, DNN_BF16)->unit);
    EXPECT(best.multiply_adds_per_second > 1e8 && best.multiply_adds_per_second < 1e13);
}

/* Otherwise 64 threads on one core would report 64 times what it can do. */
TEST(threads_that_take_turns_on_a_core_do_not_add_up)
{
    struct peaks one = peaks_measure(1, CPU_BASE, DNN_F32);
    struct peaks many = peaks_measure(64, CPU_BASE, DNN_F32);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    EXPECT(many.multiply_adds_per_second > 0);
    if (cores <= 4)
        EXPECT(many.multiply_adds_per_second < 32 * one.multiply_adds_per_second);
}

TEST(it_holds_the_memory_of_the_canaries_and_no_more)
{
    size_t bytes = 0;

    (void)canary_room(&bytes);
    EXPECT_INT((long long)bytes, 128 << 20);
    EXPECT_INT(canary_memory(), 128 << 20);
}
