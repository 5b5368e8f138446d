/* Tested by tests/engine/process/worker_life_test.c. */
#include "engine/process/leftovers.h"

#include "engine/machine/proc.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define STAT_PARENT 4   /* see proc(5) */
#define ROUNDS_MAX 1000 /* a process that forks faster than this is not waited for */

void leftovers_adopt(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static bool is_leftover(const char *process, long long since)
{
    return proc_stat_number("", process, STAT_PARENT) == getpid() &&
           proc_stat_number("", process, PROC_STAT_START) >= since;
}

/* One pass over all processes. */
static int kill_round(long long since)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    int found = 0;

    while (processes && (entry = readdir(processes)) != NULL) {
        char *end;
        pid_t pid = (pid_t)strtol(entry->d_name, &end, 10);

        if (*end != '\0' || pid <= 1 || !is_leftover(entry->d_name, since))
            continue;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        found++;
    }
    if (processes)
        closedir(processes);
    return found;
}

int leftovers_kill(long long since)
{
    int found = 0, more, rounds = 0;

    do {
        more = kill_round(since);
        found += more;
    } while (more > 0 && ++rounds < ROUNDS_MAX);
    return found;
}
