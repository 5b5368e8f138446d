#include "engine/machine/process_sampler.h"

#include "engine/machine/proc.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define STAT_MAJOR_FAULTS 12 /* see proc(5) */

/* The line "cpu  user nice system idle iowait irq softirq steal guest ..." of all processors. */
static void look_at_processors(const char *root, struct observation *seen)
{
    FILE *file = proc_open(root, "/proc/stat");
    long long ticks[8];

    if (file && fscanf(file, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &ticks[0], &ticks[1],
                       &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]) == 8) {
        seen->cpu_ticks = 0;
        for (int i = 0; i < 8; i++)
            seen->cpu_ticks += ticks[i];
        seen->steal_ticks = ticks[7];
    }
    if (file)
        fclose(file);
}

/* Any group up to the root may be throttled. */
static void add_throttling(const char *root, const char *mount, char *group,
                           struct observation *seen)
{
    for (;;) {
        char path[PROC_PATH_MAX + 64];
        long long periods, us;

        snprintf(path, sizeof path, "%s%s/cpu.stat", mount, group);
        periods = proc_number(root, path, "nr_throttled ", -1);
        us = proc_number(root, path, "throttled_usec ", -1);
        if (us < 0) /* version 1 counts in nanoseconds */
            us = proc_number(root, path, "throttled_time ", -1000) / 1000;
        if (periods >= 0)
            seen->throttled_periods =
                periods + (seen->throttled_periods > 0 ? seen->throttled_periods : 0);
        if (us >= 0)
            seen->throttled_us = us + (seen->throttled_us > 0 ? seen->throttled_us : 0);

        char *slash = strrchr(group, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

static void observe_quota(const char *root, const char *process, struct observation *seen)
{
    char group[PROC_PATH_MAX];

    proc_control_group(root, process, "", group);
    add_throttling(root, "/sys/fs/cgroup", group, seen);
    if (seen->throttled_periods >= 0)
        return;
    proc_control_group(root, process, "cpu", group);
    add_throttling(root, "/sys/fs/cgroup/cpu", group, seen);
}

static void sampler_add(long long *sum, long long more)
{
    if (more >= 0)
        *sum = *sum < 0 ? more : *sum + more;
}

static void look_at_thread(const char *root, const char *process, const char *thread,
                           struct observation *seen)
{
    FILE *file = proc_open(root, "/proc/%s/task/%s/schedstat", process, thread);
    long long ran, waited;

    if (file && fscanf(file, "%lld %lld", &ran, &waited) == 2) {
        sampler_add(&seen->own_cpu_ns, ran);
        sampler_add(&seen->waited_ns, waited);
    }
    if (file)
        fclose(file);
    file = proc_open(root, "/proc/%s/task/%s/status", process, thread);
    sampler_add(&seen->involuntary_switches,
                proc_number_in(file, "nonvoluntary_ctxt_switches:", -1));
}

static void look_at_threads(const char *root, const char *process, struct observation *seen)
{
    char path[PROC_PATH_MAX];
    struct dirent *entry;
    DIR *threads;

    snprintf(path, sizeof path, "%s/proc/%s/task", root, process);
    threads = opendir(path);
    while (threads && (entry = readdir(threads)) != NULL)
        if (entry->d_name[0] != '.')
            look_at_thread(root, process, entry->d_name, seen);
    if (threads)
        closedir(threads);
}

void process_sampler_read(const char *root, pid_t process, struct observation *ret_observation)
{
    struct observation seen = {.cpu_ticks = -1,
                               .steal_ticks = -1,
                               .throttled_periods = -1,
                               .throttled_us = -1,
                               .involuntary_switches = -1,
                               .waited_ns = -1,
                               .own_cpu_ns = -1};
    char name[16];

    snprintf(name, sizeof name, "%d", (int)process);
    look_at_processors(root, &seen);
    observe_quota(root, name, &seen);
    look_at_threads(root, name, &seen);
    seen.major_faults = proc_stat_number(root, name, STAT_MAJOR_FAULTS);
    seen.swap_ins = proc_number(root, "/proc/vmstat", "pswpin ", -1);
    *ret_observation = seen;
}
