#include "engine/train/canary_run.h"

#include "common/clock.h"
#include "engine/train/threads/host.h"
#include "tests/test.h"

static void it_tells_a_clock_and_a_bandwidth_that_exist(void)
{
    struct canary canary = canary_run();

    /* An addition that a compiler had folded away, or put memory into, would be outside. Under an
     * emulator or valgrind it may be. */
    EXPECT(canary.hertz > 5e8 && canary.hertz < 7e9);
    EXPECT(canary.copy_bytes_per_second > 1e8 && canary.copy_bytes_per_second < 1e12);
}

static void it_is_short(void)
{
    long long start = host_clock_ns();

    canary_run();
    EXPECT(host_clock_ns() - start <
           2 * NS_PER_SECOND); /* a fifth of one, on a machine at rest */
}

int main(void)
{
    RUN(it_tells_a_clock_and_a_bandwidth_that_exist);
    RUN(it_is_short);
    return test_result();
}
