#include "engine/train/canary_run.h"

#include "tests/test.h"

#include <time.h>

TEST(it_tells_a_clock_and_a_bandwidth_that_exist)
{
    struct canary canary = canary_run();

    /* An addition that a compiler had folded away, or put memory into, would be outside. Under an
     * emulator or valgrind it may be. */
    EXPECT(canary.hertz > 5e8 && canary.hertz < 7e9);
    EXPECT(canary.copy_bytes_per_second > 1e8 && canary.copy_bytes_per_second < 1e12);
}

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

TEST(it_is_short)
{
    double start = processor_seconds();

    canary_run();
    EXPECT(processor_seconds() - start < 2); /* a fifth of one, on a machine at rest */
}
