#include "engine/train/threads/host.h"

#include "common/clock.h"
#include "engine/machine/control_group.h"
#include "engine/machine/proc.h"
#include "engine/train/threads/placement.h"

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Of <numaif.h>, which belongs to a library that we do not need. */
#define BIND 2
#define INTERLEAVE 3

static struct topology topology; /* as we were started: a bound thread knows only its own place */
static struct placement placement;

static void host_look(void)
{
    const struct run_spec spec = run_spec_default();

    topology_read("", &topology);
    if (!placement_choose(&topology, &spec, &placement, NULL))
        placement = (struct placement){.threads = 1};
}

static struct placement *host_current(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, host_look);
    return &placement;
}

long long host_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

/* The policy of the calling thread, and of those that it will start. */
static bool place_memory(const struct placement *wanted, struct error *err)
{
    unsigned long mask[PLACEMENT_NODES_MAX / (8 * sizeof(unsigned long))] = {0};
    const size_t bits = 8 * sizeof mask[0];
    int mode = wanted->memory == PLACEMENT_BOUND ? BIND : INTERLEAVE;

    if (wanted->memory == PLACEMENT_FIRST_TOUCH)
        return true;
    for (size_t node = 0; node < PLACEMENT_NODES_MAX; node++)
        if (wanted->nodes[node])
            mask[node / bits] |= 1UL << node % bits;
    if (syscall(SYS_set_mempolicy, mode, mask, PLACEMENT_NODES_MAX) == 0)
        return true;
    return error_set(err, ERROR_UNABLE, "numa", "the system does not let us place memory: %s%s",
                     strerror(errno),
                     errno == EPERM ? " (a container needs CAP_SYS_NICE for it)" : "");
}

bool host_settle(const struct run_spec *spec, struct error *err)
{
    struct placement *here = host_current(), wanted;

    if (!placement_choose(&topology, spec, &wanted, err))
        return false;
    if (!wanted.huge_pages && prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0)
        return error_set(err, ERROR_UNABLE, "huge_pages",
                         "the system does not let us do without them: %s", strerror(errno));
    if (!place_memory(&wanted, err))
        return false;
    *here = wanted;
    host_stay_anywhere();
    return true;
}

int host_threads(void)
{
    return host_current()->threads;
}

void host_set_threads(int threads)
{
    omp_set_num_threads(threads);
}

void host_lead_threads(int threads)
{
    host_set_threads(threads);
    /* The same threads run every region of this size: the runtimes keep them. */
#pragma omp parallel num_threads(threads)
    host_stay_on(omp_get_thread_num());
}

static void stay_on(const int *cpus, int count)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (int i = 0; i < count; i++)
        CPU_SET((size_t)cpus[i], &set);
    sched_setaffinity(0, sizeof set, &set);
}

void host_stay_on(int index)
{
    const struct placement *here = host_current();

    if (index < here->bound)
        stay_on(&here->cpus[index], 1);
    else
        host_stay_anywhere();
}

void host_stay_anywhere(void)
{
    stay_on(host_current()->cpus, host_current()->cpu_count);
}

bool host_ask_huge_pages(void *memory, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t before = (page - (uintptr_t)memory % page) % page; /* madvise() wants whole pages */

    return host_current()->huge_pages && bytes >= before + page &&
           madvise((char *)memory + before, (bytes - before) / page * page, MADV_HUGEPAGE) == 0;
}

long long host_free_memory(void)
{
    long long available = proc_number("", "/proc/meminfo", "MemAvailable:", -1) * 1024;
    struct group_memory group;

    control_group_memory("", &group);
    return group.room >= 0 && group.room < available ? group.room : available;
}

long long host_peak_memory(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss * 1024LL : 0;
}
