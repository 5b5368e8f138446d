/* What a process that trains may do, and what the kernel refuses it. Each test confines a child,
 * for it is for good. */
#include "engine/process/confine.h"

#include "tests/engine/process/children.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static int confined(enum confine_how how, int (*act)(const void *user), const void *user)
{
    struct confinement confinement;

    confine_prepare(how, &confinement);
    return status_of_child(&confinement, act, user);
}

static void expect_exit(int status, int wanted, const char *what)
{
    char text[200];
    int got = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);

    snprintf(text, sizeof text, "%s ends with %d, not %d", what, got, wanted);
    test_expect(got == wanted, __FILE__, __LINE__, text);
}

struct call {
    const char *name;
    long number, first, second, third;
};

/* The errno of a call, or 0. */
static int try_call(const void *user)
{
    const struct call *call = user;

    errno = 0;
    return syscall(call->number, call->first, call->second, call->third, 0, 0, 0) == -1 ? errno
                                                                                        : 0;
}

/* A row of a table. */
/* clang-format off */
#define CALL(name, ...) {#name, SYS_##name, __VA_ARGS__}
/* clang-format on */

/* One of each kind of line; confine_filter_test.c has them all. */
static const struct call calls_refused[] = {
    {"socket inet", SYS_socket, AF_INET, SOCK_STREAM, 0},
    CALL(process_vm_readv, 1, 0, 0),
    CALL(io_uring_setup, 0, 0, 0),
    {"personality", SYS_personality, READ_IMPLIES_EXEC, 0, 0},
    {"clone into a namespace", SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0},
#ifdef __x86_64__
    {"x32", 0x40000000L | SYS_getpid, 0, 0, 0},
#endif
};

TEST_WHERE(confine_can_filter, calls_that_no_training_needs_are_refused)
{
    struct confinement filter;

    confine_prepare(CONFINE_OURS, &filter);
    filter.drop = false; /* who has no capability is refused most of these anyway */
    for (size_t i = 0; i < COUNT(calls_refused); i++)
        expect_exit(status_of_child(&filter, try_call, &calls_refused[i]), EPERM,
                    calls_refused[i].name);
}

static void *set_true(void *user)
{
    *(int *)user = 1;
    return NULL;
}

static int train(const void *user)
{
    cpu_set_t processors;
    pthread_t thread;
    int ran = 0, pair[2];
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pid_t child;
    bool ok = code != MAP_FAILED && mprotect(code, 4096, PROT_READ | PROT_EXEC) == 0;

    (void)user;
    ok = ok && pthread_create(&thread, NULL, set_true, &ran) == 0;
    ok = ok && pthread_join(thread, NULL) == 0 && ran;
    ok = ok && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
    ok = ok && sched_getaffinity(0, sizeof processors, &processors) == 0 &&
         sched_setaffinity(0, sizeof processors, &processors) == 0;
    ok = ok && personality(0xffffffff) >= 0;
    ok = ok && prctl(PR_SET_DUMPABLE, 1) == 0;
    child = fork();
    if (child == 0)
        _exit(0);
    return ok && child > 0 && waitpid(child, NULL, 0) == child ? 0 : NOT_TRUE;
}

TEST(calls_that_training_needs_are_permitted)
{
    expect_exit(confined(CONFINE_OURS, train, NULL), 0, "training");
    expect_exit(confined(CONFINE_OTHERS, train, NULL), 0, "training elsewhere");
}

/* Training asks for these and goes on without them. A container's own filter may refuse them
 * (docker's answers EPERM to the calls about NUMA), a kernel may lack them: our filter changes
 * none of these answers. What it says of them by itself, confine_filter_test.c works out. */
static const struct call calls_left_alone[] = {
    CALL(set_mempolicy, 0, 0, 0),  CALL(get_mempolicy, 0, 0, 0), CALL(mbind, 0, 0, 0),
    CALL(sched_getparam, 0, 0, 0), CALL(getcpu, 0, 0, 0),
};

static int try_unconfined(const void *call)
{
    int status = status_of_child(NULL, try_call, call);

    EXPECT(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(other_calls_behave_as_without_the_filter)
{
    for (size_t i = 0; i < COUNT(calls_left_alone); i++)
        expect_exit(confined(CONFINE_OURS, try_call, &calls_left_alone[i]),
                    try_unconfined(&calls_left_alone[i]), calls_left_alone[i].name);
}

#ifdef __x86_64__
static int call_as_32_bits(const void *user)
{
    long number = 20; /* getpid */

    (void)user;
    __asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
    return 0;
}

/* Other numbers mean other calls there; where the kernel has none of these, the processor stops
 * it. */
TEST_WHERE(confine_can_filter, a_call_of_another_architecture_is_the_end)
{
    int status = confined(CONFINE_OURS, call_as_32_bits, NULL);

    EXPECT(WIFSIGNALED(status) && (WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV));
}
#endif

static int look_at_limits(const void *user)
{
    static const struct {
        __rlimit_resource_t what;
        rlim_t most;
    } limits[] = {{RLIMIT_CORE, 0},
                  {RLIMIT_NOFILE, CONFINE_FILES},
                  {RLIMIT_FSIZE, (rlim_t)CONFINE_FILE_BYTES}};
    const rlim_t *files = user;

    for (size_t i = 0; i < COUNT(limits); i++) {
        struct rlimit now;

        if (getrlimit(limits[i].what, &now) != 0 || now.rlim_cur > limits[i].most ||
            now.rlim_max > limits[i].most)
            return NOT_TRUE;
        if (files && limits[i].what == RLIMIT_NOFILE && now.rlim_max != *files)
            return NOT_TRUE;
    }
    return umask(0) == 077 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : NOT_TRUE;
}

TEST(every_engine_has_limits)
{
    expect_exit(confined(CONFINE_OURS, look_at_limits, NULL), 0, "our limits");
    expect_exit(confined(CONFINE_OTHERS, look_at_limits, NULL), 0, "limits of others");
}

static int confine_poor(const void *user)
{
    const rlim_t few = 100;
    struct confinement confinement;

    (void)user;
    if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){50, few}) != 0)
        return NOT_TRUE;
    confine_prepare(CONFINE_OTHERS, &confinement);
    return confine_apply(&confinement) ? look_at_limits(&few) : NOT_CONFINED;
}

TEST(a_limit_is_never_raised)
{
    expect_exit(confined(CONFINE_OTHERS, confine_poor, NULL), 0, "a poor one");
}

static int confine_wrongly(const void *user)
{
    const struct confinement broken = {.program = {{0xffff, 0, 0, 0}}, .length = 1};

    (void)user;
    return confine_apply(&broken) ? NOT_TRUE : errno;
}

TEST(a_wrong_filter_ends_the_child_with_its_error)
{
    expect_exit(confined(CONFINE_OTHERS, confine_wrongly, NULL), EINVAL, "a wrong filter");
}

/* What /proc says of a program that was started by spawn_child(). */
static void read_status(enum confine_how how, char *ret_text, size_t size)
{
    static char cat[] = "cat", status[] = "/proc/self/status";

    print_as_engine((char *const[]){cat, status, NULL}, how, NULL, ret_text, size);
}

#ifndef CONFINE_SANITIZED
/* How many of these of its parent a confined child can open. */
static int open_parents(const void *user)
{
    int opened = 0;

    (void)user;
    EACH_TEXT(name, "mem", "environ", "exe", "maps") {
        char path[64];

        snprintf(path, sizeof path, "/proc/%d/%s", (int)getppid(), name);
        opened += open(path, O_RDONLY) >= 0;
    }
    return opened;
}

/* Without rights of its own, as the server has none: a child of less rights is refused anyway. */
static int be_looked_at(const void *user)
{
    const bool *hides = user;
    int status;

    if (*hides)
        confine_hide();
    status = confined(CONFINE_OURS, open_parents, NULL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : NOT_TRUE;
}

TEST(a_worker_cannot_read_a_hidden_process)
{
    static const struct confinement poor = {.drop = true};
    static const bool no = false, yes = true;

    expect_exit(status_of_child(&poor, be_looked_at, &no), 4, "a look at one who does not");
    expect_exit(status_of_child(&poor, be_looked_at, &yes), 0, "a look at one who does");
}

static int start_another(const void *user)
{
    char text[8192];

    (void)user;
    confine_hide();
    read_status(CONFINE_OURS, text, sizeof text);
    return strstr(text, "Seccomp:") ? 0 : NOT_TRUE;
}

TEST(a_hidden_process_can_start_workers)
{
    static const struct confinement poor = {.drop = true};

    expect_exit(status_of_child(&poor, start_another, NULL), 0, "a start");
}
#endif

TEST_WHERE(confine_can_filter, an_exec_gives_nothing_back)
{
    char text[8192];

    read_status(CONFINE_OURS, text, sizeof text);
    EACH_TEXT(line, "CapInh:\t0000000000000000\n", "CapPrm:\t0000000000000000\n",
              "CapEff:\t0000000000000000\n", "CapAmb:\t0000000000000000\n", "NoNewPrivs:\t1\n",
              "Seccomp:\t2\n")
        EXPECT_STR(strstr(text, line) ? line : text, line);
    read_status(CONFINE_OTHERS, text, sizeof text);
    EXPECT_PART(text, "NoNewPrivs:\t1\n");
}

/* With its signals it can reach itself alone: the process that started it lives on. */
static int signal_others(const void *user)
{
    (void)user;
    if (kill(getppid(), 0) == 0 || errno != EPERM || kill(-1, 0) == 0 || errno != EPERM)
        return NOT_TRUE;
    if (setpriority(PRIO_PROCESS, (id_t)getppid(), 5) == 0 || errno != EPERM)
        return NOT_TRUE;
    return kill(getpid(), 0) == 0 && raise(0) == 0 && kill(0, 0) == 0 ? 0 : NOT_TRUE;
}

TEST_WHERE(confine_can_filter, our_own_worker_signals_and_slows_itself_alone)
{
    if (confine_can_filter())
        EXPECT_INT(confined(CONFINE_OURS, signal_others, NULL), 0);
}
