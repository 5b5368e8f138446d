#include "engine/train/host.h"

#include "common/cleanup.h"
#include "common/clock.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

static cpu_set_t allowed; /* as we were started: a bound thread knows only its own */

static void look(void)
{
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        CPU_SET(0, &allowed);
}

static const cpu_set_t *processors(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, look);
    return &allowed;
}

long long host_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

int host_processors(void)
{
    return CPU_COUNT(processors());
}

void host_set_threads(int threads)
{
    omp_set_num_threads(threads);
}

void host_stay_on(int index)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, processors()) && index-- == 0)
            CPU_SET(cpu, &one);
    if (CPU_COUNT(&one) == 1)
        sched_setaffinity(0, sizeof one, &one);
}

void host_stay_anywhere(void)
{
    sched_setaffinity(0, sizeof allowed, processors());
}

/* The number behind `name` in a file of lines, or the first number of the file for NULL; -1 when
 * there is none. */
static long long read_number(const char *path, const char *name)
{
    AUTO(fclosep) FILE *file = fopen(path, "re");
    char line[256];

    while (file && fgets(line, sizeof line, file)) {
        size_t skip = name ? strlen(name) : 0;
        char *end;
        long long number;

        if (name && strncmp(line, name, skip) != 0)
            continue;
        number = strtoll(line + skip, &end, 10);
        return end == line + skip ? -1 : number;
    }
    return -1;
}

long long host_free_memory(void)
{
    long long available = read_number("/proc/meminfo", "MemAvailable:") * 1024;
    long long limit = read_number("/sys/fs/cgroup/memory.max", NULL);
    long long used = read_number("/sys/fs/cgroup/memory.current", NULL);

    if (limit >= 0 && used >= 0 && limit - used < available)
        return limit - used;
    return available;
}

long long host_peak_memory(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss * 1024LL : 0;
}
