#include "engine/train/host.h"

#include "common/cleanup.h"
#include "tests/test.h"

#include <omp.h>
#include <sched.h>

static void only_the_processors_we_may_use_are_counted(void)
{
    cpu_set_t all;

    EXPECT_INT(sched_getaffinity(0, sizeof all, &all), 0);
    EXPECT_INT(host_processors(), CPU_COUNT(&all));
}

static void a_thread_can_be_bound_to_one_of_them(void)
{
    cpu_set_t all, one;
    int processors = host_processors();

    EXPECT_INT(sched_getaffinity(0, sizeof all, &all), 0);
    host_stay_on(processors - 1);
    EXPECT_INT(sched_getaffinity(0, sizeof one, &one), 0);
    EXPECT_INT(CPU_COUNT(&one), 1);
    /* What others may use is still known. */
    EXPECT_INT(host_processors(), processors);
    EXPECT_INT(sched_setaffinity(0, sizeof all, &all), 0);
    host_stay_on(processors);
    EXPECT_INT(sched_getaffinity(0, sizeof one, &one), 0);
    EXPECT(CPU_EQUAL(&one, &all));
}

static void memory_is_counted(void)
{
    long long free_memory = host_free_memory(), peak = host_peak_memory();

    EXPECT(free_memory > 1 << 20);
    EXPECT(peak > 1 << 16 && peak < free_memory + peak);
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
    RUN(a_thread_can_be_bound_to_one_of_them);
    RUN(memory_is_counted);
    RUN(the_threads_asked_for_are_used);
    return test_result();
}
