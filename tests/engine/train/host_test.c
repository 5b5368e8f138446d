#include "engine/train/host.h"

#include "common/cleanup.h"
#include "tests/test.h"

#include <omp.h>
#include <sched.h>

static void only_the_processors_we_may_use_are_counted(void)
{
    cpu_set_t all, one;
    size_t first = 0;

    EXPECT_INT(sched_getaffinity(0, sizeof all, &all), 0);
    EXPECT_INT(host_processors(), CPU_COUNT(&all));
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    EXPECT_INT(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_INT(host_processors(), 1);
    EXPECT_INT(sched_setaffinity(0, sizeof all, &all), 0);
}

static void the_threads_asked_for_are_used(void)
{
    host_set_threads(3);
    EXPECT_INT(omp_get_max_threads(), 3);
    host_set_threads(1);
    EXPECT_INT(omp_get_max_threads(), 1);
}

int main(void)
{
    RUN(only_the_processors_we_may_use_are_counted);
    RUN(the_threads_asked_for_are_used);
    return test_result();
}
