/* What a test of processes sees of the machine, by its own eyes. */
#pragma once

#include "common/clock.h"
#include "tests/test.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <time.h>

static inline void nap(void)
{
    const struct timespec time = {.tv_nsec = 5 * NS_PER_MS};

    nanosleep(&time, NULL);
}

static inline int process_is_of_run(const char *process, const char *run_id)
{
    static char environment[1 << 20];
    char path[300], wanted[100];
    AUTO(fclosep) FILE *file = NULL;

    snprintf(path, sizeof path, "/proc/%s/environ", process);
    snprintf(wanted, sizeof wanted, "PENNYWORTH_RUN=%s", run_id);
    file = fopen(path, "re");
    size_t length = file ? fread(environment, 1, sizeof environment, file) : 0;
    return memmem(environment, length, wanted, strlen(wanted) + 1) != NULL;
}

/* What `count` says of each process, in sum. */
static inline int sum_over_processes(int (*count)(const char *process, const char *run_id),
                                     const char *run_id)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    int sum = 0;

    while (processes && (entry = readdir(processes)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]))
            sum += count(entry->d_name, run_id);
    if (processes)
        closedir(processes);
    return sum;
}

/* How many processes carry the run in their environment; the dead but unburied do not. */
static inline int processes_of_run(const char *run_id)
{
    return sum_over_processes(process_is_of_run, run_id);
}

static inline bool run_reaches_count(const char *run_id, int count)
{
    long long deadline = clock_monotonic_ns() + PATIENCE_SECONDS * NS_PER_SECOND;

    while (processes_of_run(run_id) != count) {
        if (clock_monotonic_ns() >= deadline)
            return false;
        nap();
    }
    return true;
}

/* Entries of a directory; 0 where there is none. */
static inline int directory_size(const char *path)
{
    DIR *directory = opendir(path);
    int count = 0;

    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count > 2 ? count - 2 : 0; /* less "." and ".." */
}

/* The one that looks counts too, so this is for comparing. */
static inline int open_descriptors(void)
{
    return directory_size("/proc/self/fd");
}
