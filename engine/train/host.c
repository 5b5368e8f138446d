#include "engine/train/host.h"

#include <omp.h>
#include <sched.h>

int host_processors(void)
{
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 1;
    return CPU_COUNT(&allowed);
}

void host_set_threads(int threads)
{
    omp_set_num_threads(threads);
}
