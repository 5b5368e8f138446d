#include "engine/process/spawn.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "engine/machine/proc.h"
#include "engine/process/confine.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#ifndef SYS_close_range /* the same number everywhere */
#define SYS_close_range 436
#endif
#define CLOSE_LATER 4u          /* CLOSE_RANGE_CLOEXEC, which not every C library knows */
#define DESCRIPTORS_MAX 1048576 /* kernels give a process no more by default */

#define RUN_VARIABLE "PENNYWORTH_RUN="
#define PRELOAD_VARIABLE "LD_PRELOAD="
#define HOME_VARIABLE "HOME="

#define STAT_START_CODE 26 /* see proc(5) */
#define STAT_ENV_START 50
#define STAT_ENV_END 51
#define EXEC_ATTEMPTS 1000 /* to see a program become another: for a second */

struct pipes {
    int input[2], output[2], errors[2];
    int verdict[2]; /* closed by a successful exec; else carries its errno */
};

static void pipes_close(struct pipes *pipes)
{
    int *all[] = {pipes->input, pipes->output, pipes->errors, pipes->verdict};

    for (size_t i = 0; i < COUNT(all); i++) {
        closep(&all[i][0]);
        closep(&all[i][1]);
    }
}

static bool pipes_open(struct pipes *pipes, struct error *err)
{
    int *all[] = {pipes->input, pipes->output, pipes->errors, pipes->verdict};

    for (size_t i = 0; i < COUNT(all); i++)
        if (pipe2(all[i], O_CLOEXEC) != 0)
            return error_set(err, ERROR_INTERNAL, NULL, "cannot make a pipe: %s",
                             strerror(errno));
    return true;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Variables for the server only: tokens, and keys of price feeds. */
static bool is_secret(const char *entry)
{
    return begins_with(entry, "PENNYWORTH_") || begins_with(entry, "AWS_ACCESS_KEY_ID=") ||
           begins_with(entry, "AWS_SECRET_ACCESS_KEY=") ||
           begins_with(entry, "AWS_SESSION_TOKEN=");
}

/* Variables of the server user's home, which another user must not get. */
static bool is_of_home(const char *entry)
{
    return begins_with(entry, HOME_VARIABLE) || begins_with(entry, "XDG_CACHE_HOME=");
}

/* Variables of the worker's own; "" is none. */
struct variables {
    char run[sizeof RUN_VARIABLE + 64], preload[4096], home[sizeof HOME_VARIABLE + PATH_MAX];
};

/* Our environment for the worker, with its own variables. Only the array is new; free() it. */
static char **worker_environment(struct variables *own)
{
    size_t count = 0, used = 0;
    char **environment;

    while (environ[count])
        count++;
    environment = xcalloc(count + 4, sizeof *environment);
    environment[used++] = own->run; /* first, so that spawn_sweep() reads it at one go */
    for (size_t i = 0; i < count; i++)
        if (!is_secret(environ[i]) &&
            !(own->preload[0] && begins_with(environ[i], PRELOAD_VARIABLE)) &&
            !(own->home[0] && is_of_home(environ[i])))
            environment[used++] = environ[i];
    assert(used <= count + 1); /* there is room for two more, and NULL */
    if (own->preload[0])
        environment[used++] = own->preload;
    if (own->home[0])
        environment[used] = own->home;
    return environment;
}

/* Nothing but the three pipes goes along: libraries open sockets that an exec would leave open,
 * and with one of these a worker without a network would have one. */
static void keep_descriptors(void)
{
    struct rlimit most;

    if (syscall(SYS_close_range, 3u, ~0u, CLOSE_LATER) == 0)
        return;
    if (getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur > DESCRIPTORS_MAX)
        most.rlim_cur = DESCRIPTORS_MAX;
    for (int descriptor = 3; descriptor < (int)most.rlim_cur; descriptor++)
        (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC); /* most are not open */
}

/* Between fork and exec, in a process with threads: only calls that need no lock. */
static _Noreturn void spawn_become(const struct pipes *pipes, const struct launch *launch,
                                   char *const environment[],
                                   const struct confinement *confinement, pid_t parent)
{
    sigset_t none;
    int problem;

    setpgid(0, 0);
    if (!launch->user || engine_user_become(launch->user)) {
        /* posix_spawn() cannot ask for this, and it is why we fork: it survives the exec, so any
         * engine dies with the server, not only ours. Another user would forget it. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) /* it died before we asked */
            _exit(127);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        signal(SIGPIPE, SIG_DFL);
        keep_descriptors();
        if (dup2(pipes->input[0], 0) == 0 && dup2(pipes->output[1], 1) == 1 &&
            dup2(pipes->errors[1], 2) == 2 && confine_apply(confinement))
            execvpe(launch->command[0], launch->command, environment);
    }
    problem = errno;
    (void)!write(pipes->verdict[1], &problem, sizeof problem);
    _exit(127);
}

static void hand_over(struct pipes *pipes, pid_t pid, int pidfd, struct child *ret_child)
{
    assert(pid > 0 && pidfd >= 0 && pipes->input[1] >= 0 && pipes->output[0] >= 0);
    ret_child->pid = pid;
    ret_child->pidfd = pidfd;
    ret_child->input = pipes->input[1];
    ret_child->output = pipes->output[0];
    ret_child->errors = pipes->errors[0];
    pipes->input[1] = pipes->output[0] = pipes->errors[0] = -1;
    fcntl(ret_child->input, F_SETFL, O_NONBLOCK);
    fcntl(ret_child->output, F_SETFL, O_NONBLOCK);
    fcntl(ret_child->errors, F_SETFL, O_NONBLOCK);
}

/* The old LD_PRELOAD stays, after the run's own. */
static void join_preload(const char *preload, char *ret_variable, size_t size)
{
    const char *ours = getenv("LD_PRELOAD");

    if (*preload)
        snprintf(ret_variable, size, PRELOAD_VARIABLE "%s%s%s", preload, ours ? ":" : "",
                 ours ? ours : "");
    else
        ret_variable[0] = '\0';
}

bool spawn_child(struct child *ret_child, const struct launch *launch, struct error *err)
{
    AUTO(pipes_close) struct pipes pipes = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    struct variables own = {.home = ""};
    struct confinement confinement;
    int problem = 0;

    assert(launch->command && launch->command[0] && strlen(launch->run_id) < 64);
    snprintf(own.run, sizeof own.run, RUN_VARIABLE "%s", launch->run_id);
    join_preload(launch->preload, own.preload, sizeof own.preload);
    if (launch->user && launch->user->is_another)
        snprintf(own.home, sizeof own.home, HOME_VARIABLE "%s", launch->user->home);
    AUTO(freep) char **environment = worker_environment(&own);
    if (!pipes_open(&pipes, err))
        return false;
    confine_prepare(launch->how, &confinement);
    if (launch->how == CONFINE_OURS)
        confine_files_prepare(launch->command[0], launch->preload,
                              launch->user && launch->user->is_another ? launch->user->home
                                                                       : NULL,
                              &confinement.files);

    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0)
        spawn_become(&pipes, launch, environment, &confinement, parent);
    if (pid < 0)
        return error_set(err, ERROR_INTERNAL, NULL, "cannot fork: %s", strerror(errno));
    setpgid(pid, pid); /* here too, so that it is done whichever process runs first */
    closep(&pipes.verdict[1]);
    if (TEMP_FAILURE_RETRY(read(pipes.verdict[0], &problem, sizeof problem)) > 0) {
        waitpid(pid, NULL, 0);
        return error_set(err, ERROR_UPSTREAM, NULL, "cannot start the worker '%s': %s",
                         launch->command[0], strerror(problem));
    }
    int pidfd = pidfd_open(pid, 0);
    if (pidfd < 0) {
        error_set(err, ERROR_INTERNAL, NULL, "cannot watch the worker: %s", strerror(errno));
        kill(-pid, SIGKILL);
        waitpid(pid, NULL, 0);
        return false;
    }
    hand_over(&pipes, pid, pidfd, ret_child);
    return true;
}

bool child_tell(struct child *child, const char *line, struct error *err)
{
    size_t length = strlen(line);

    errno = 0; /* a short write does not set it, and an older EPIPE must not excuse it */
    /* EPIPE is not an error here: a worker that has ended wrote its reason to stderr. */
    if ((write(child->input, line, length) == (ssize_t)length &&
         write(child->input, "\n", 1) == 1) ||
        errno == EPIPE)
        return true;
    return error_set(err, ERROR_INTERNAL, NULL,
                     "a spec of %zu bytes does not fit into the worker's pipe", length);
}

/* Whether a process that showed no environment is about to have one: a program that becomes
 * another (execve) has none in between. Kernel threads and the dead are no programs. The
 * environment of a program that was started without any ends where it begins; so does one that
 * the kernel still lays out, but that program has no code yet. */
static bool between_programs(const char *process)
{
    static const int places[] = {STAT_START_CODE, STAT_ENV_START, STAT_ENV_END};
    long long numbers[COUNT(places)];
    char path[300], letter;

    snprintf(path, sizeof path, "/proc/%s/exe", process);
    return readlink(path, &letter, 1) == 1 &&
           (!proc_stat_numbers("", process, places, COUNT(places), numbers) || numbers[0] <= 0 ||
            numbers[1] <= 0 || numbers[1] != numbers[2]);
}

/* Whether an environment has an entry; *ret_blank is whether it has none at all. It is read at
 * one go, for what becomes another program meanwhile shows no more of it. */
static bool environment_has(const char *process, const char *wanted, bool *ret_blank)
{
    char buffer[65536];
    AUTO(freep) char *entry = NULL;
    AUTO(fclosep) FILE *file = proc_open("", "/proc/%s/environ", process);
    size_t size = 0;

    *ret_blank = file != NULL;
    if (file)
        setvbuf(file, buffer, _IOFBF, sizeof buffer);
    while (file && getdelim(&entry, &size, '\0', file) > 0) {
        *ret_blank = false;
        if (strcmp(entry, wanted) == 0)
            return true;
    }
    return false;
}

static bool spawn_carries(const char *process, const char *run_variable)
{
    const struct timespec moment = {.tv_nsec = NS_PER_MS};
    bool blank = true;

    for (int left = EXEC_ATTEMPTS; left > 0; left--) {
        if (environment_has(process, run_variable, &blank))
            return true;
        if (!blank || !between_programs(process))
            return false;
        nanosleep(&moment, NULL);
    }
    return false;
}

int spawn_sweep(const char *run_id)
{
    char run_variable[sizeof RUN_VARIABLE + 64];
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    int found = 0;

    snprintf(run_variable, sizeof run_variable, RUN_VARIABLE "%s", run_id);
    while (processes && (entry = readdir(processes)) != NULL) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);

        if (*end == '\0' && pid > 1 && spawn_carries(entry->d_name, run_variable)) {
            kill((pid_t)pid, SIGKILL);
            found++;
        }
    }
    if (processes)
        closedir(processes);
    return found;
}
