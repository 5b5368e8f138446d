#include "engine/train/threads/host.h"

#include "engine/machine/topology.h"
#include "tests/test.h"

#include <omp.h>
#include <sched.h>
#include <sys/prctl.h>

static cpu_set_t all; /* that this process may use */

bool test_begin(void)
{
    EXPECT_INT(sched_getaffinity(0, sizeof all, &all), 0);
    return true;
}

static int first_of(const cpu_set_t *set)
{
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, set))
            return cpu;
    return -1;
}

static cpu_set_t own(void)
{
    cpu_set_t set;

    EXPECT_INT(sched_getaffinity(0, sizeof set, &set), 0);
    return set;
}

static bool settle(const char *pinning)
{
    struct run_spec spec = run_spec_default();
    struct error err = {0};
    bool ok;

    spec.pinning = pinning;
    ok = host_settle(&spec, &err);
    EXPECT_STR(err.message, "");
    return ok;
}

TEST(only_the_processors_we_may_use_are_counted)
{
    EXPECT(host_threads() >= 1 && host_threads() <= CPU_COUNT(&all));
    EXPECT(settle("smt"));
    EXPECT(host_threads() >= 1 && host_threads() <= CPU_COUNT(&all));
    EXPECT(settle("cores"));
}

TEST(a_thread_goes_to_its_place_and_leaves_it_again)
{
    cpu_set_t place;

    host_stay_on(0);
    place = own();
    EXPECT_INT(CPU_COUNT(&place), 1);
    EXPECT_INT(first_of(&place), first_of(&all));
    host_stay_on(CPU_COUNT(&all)); /* there is no such place, and the one it has is another's */
    place = own();
    EXPECT(CPU_EQUAL(&place, &all));
    host_stay_on(0);
    host_stay_anywhere();
    place = own();
    EXPECT(CPU_EQUAL(&place, &all));
}

/* Distinct processors that threads of a parallel region are bound to; 0 when one is not bound. */
static int processors_of_region(int threads)
{
    cpu_set_t seen;
    bool bound = true;

    CPU_ZERO(&seen);
    host_lead_threads(threads);
#pragma omp parallel num_threads(threads)
    {
        cpu_set_t place = own();

#pragma omp critical
        {
            bound = bound && CPU_COUNT(&place) == 1;
            CPU_OR(&seen, &seen, &place);
        }
    }
    host_set_threads(1);
    host_stay_anywhere();
    return bound ? CPU_COUNT(&seen) : 0;
}

TEST(threads_of_a_parallel_region_have_places_too)
{
    int threads = host_threads();

    EXPECT_INT(processors_of_region(threads), threads);
    EXPECT(settle("smt"));
    EXPECT_INT(processors_of_region(host_threads()), host_threads());
    EXPECT(settle("none"));
    /* On a machine of one processor every thread is on one. */
    EXPECT_INT(processors_of_region(threads), CPU_COUNT(&all) > 1 ? 0 : 1);
    EXPECT(settle("cores"));
}

TEST(what_the_machine_has_not_is_refused)
{
    struct run_spec spec = run_spec_default();
    static struct topology topology;

    topology_read("", &topology);
    if (topology.node_count > 1) {
        printf("       skipped: there are several nodes here\n");
        return;
    }
    spec.numa = "local";
    EXPECT_INVALID(host_settle(&spec, &err), "numa");
}

TEST(huge_pages_are_asked_for_unless_unwanted)
{
    size_t size = (size_t)4 << 20;
    void *memory = aligned_alloc((size_t)2 << 20, size);
    struct run_spec spec = run_spec_default();

    /* A kernel without them says no to both. */
    if (host_ask_huge_pages(memory, size)) {
        EXPECT(host_ask_huge_pages((char *)memory + 64, size - 128)); /* the pages within */
        EXPECT(!host_ask_huge_pages((char *)memory + 64, 4096));      /* has no whole page */
        spec.huge_pages = "off";
        EXPECT(host_settle(&spec, NULL));
        EXPECT(!host_ask_huge_pages(memory, size));
        EXPECT_INT(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), 1);
        EXPECT_INT(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
        EXPECT(settle("cores"));
    }
    free(memory);
}

TEST(memory_is_counted)
{
    long long free_memory = host_free_memory(), peak = host_peak_memory();

    EXPECT(free_memory > 1 << 20);
    EXPECT(peak > 1 << 16 && peak < free_memory + peak);
}

TEST(the_threads_asked_for_are_used)
{
    host_set_threads(3);
    EXPECT_INT(omp_get_max_threads(), 3);
    host_set_threads(1);
    EXPECT_INT(omp_get_max_threads(), 1);
}
