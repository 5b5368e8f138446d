/* What an engine of others reaches outside its run. */
#include "engine/process/confine.h"

#include "tests/engine/process/children.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* A call about the parent, or about the process itself: its errno. */
static int try_on(long number, long pid)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    long done = -1;

    errno = 0;
    if (number == SYS_prlimit64)
        done = syscall(number, pid, RLIMIT_NOFILE, NULL, &limit);
    else if (number == SYS_setpriority)
        done = syscall(number, PRIO_PROCESS, pid, 10);
    else if (number == SYS_kill)
        done = syscall(number, pid, 0);
    else if (number == SYS_ptrace)
        done = syscall(number, 16 /* ATTACH */, pid, 0, 0);
    return done == -1 ? errno : 0;
}

/* The number of the first call that reached the parent, or 0. */
static int reach_out(const void *count)
{
    static const long calls[] = {SYS_prlimit64, SYS_setpriority, SYS_kill, SYS_ptrace};
    pid_t child;

    for (size_t i = 0; i < *(const size_t *)count; i++)
        if (try_on(calls[i], getppid()) != EPERM)
            return (int)i + 1;
    if (try_on(SYS_prlimit64, 0) || try_on(SYS_prlimit64, getpid()) ||
        try_on(SYS_setpriority, 0) || try_on(SYS_kill, getpid()))
        return NOT_TRUE;
    child = fork();
    if (child == 0)
        pause();
    return kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child ? 0 : NOT_TRUE;
}

/* Signals and traces where the kernel keeps them within a domain. */
TEST(engines_of_others_reach_no_process_outside_their_run)
{
    size_t count = confine_can_keep_signals() ? 4 : 2;
    struct confinement others;

    confine_prepare(CONFINE_OTHERS, &others);
    EXPECT_INT(status_of_child(&others, reach_out, &count), 0);
}
