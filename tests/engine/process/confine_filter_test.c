/* The filter of system calls, line by line: its verdict on each call, from any program.
 * What the kernel then does is in confine_test.c. */
#include "engine/process/confine.h"

#include "tests/engine/process/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#ifdef __x86_64__
#define HERE AUDIT_ARCH_X86_64
#define ELSEWHERE AUDIT_ARCH_AARCH64
#define THIRTY_TWO AUDIT_ARCH_I386
#else
#define HERE AUDIT_ARCH_AARCH64
#define ELSEWHERE AUDIT_ARCH_X86_64
#define THIRTY_TWO AUDIT_ARCH_ARM
#endif
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
#define HIGH (1ULL << 32) /* the kernel does not look at this half of an int */

struct call {
    const char *name;
    long number;
    unsigned long long first;
};

static void expect(const struct call *call, unsigned architecture, unsigned wanted)
{
    const struct seccomp_data data = {
        .nr = (int)call->number, .arch = architecture, .args = {call->first}};
    struct confinement ours;
    char text[200];
    unsigned got;

    confine_prepare(CONFINE_OURS, &ours);
    got = filter_verdict(&ours, &data);
    snprintf(text, sizeof text, "%s (%#llx): %#x, expected %#x", call->name, call->first, got,
             wanted);
    test_expect(got == wanted, __FILE__, __LINE__, text);
}

/* A row of a table. */
/* clang-format off */
#define NAME(name) {#name, SYS_##name, 0}
/* clang-format on */

/* Whatever their arguments. */
static const struct call refused[] = {
#ifndef CONFINE_SANITIZED
    NAME(ptrace),
#endif
    NAME(process_vm_readv),
    NAME(process_vm_writev),
    NAME(socket),
    NAME(tkill),
    NAME(rt_sigqueueinfo),
    NAME(rt_tgsigqueueinfo),
    NAME(kcmp),
#ifdef SYS_pidfd_open
    NAME(pidfd_open),
    NAME(pidfd_send_signal),
#endif
    NAME(userfaultfd),
    NAME(mount),
    NAME(umount2),
    NAME(pivot_root),
    NAME(chroot),
    NAME(setns),
    NAME(unshare),
    NAME(open_by_handle_at),
    NAME(quotactl),
    NAME(acct),
    NAME(swapon),
    NAME(swapoff),
    NAME(bpf),
    NAME(perf_event_open),
    NAME(init_module),
    NAME(finit_module),
    NAME(delete_module),
    NAME(kexec_load),
    NAME(reboot),
    NAME(settimeofday),
    NAME(clock_settime),
    NAME(clock_adjtime),
    NAME(adjtimex),
    NAME(add_key),
    NAME(request_key),
    NAME(keyctl),
    {"pidfd_getfd", 438, 0}, /* from here on the same numbers everywhere, and newer */
    {"io_uring_setup", 425, 0},
    {"io_uring_enter", 426, 0},
    {"io_uring_register", 427, 0},
    {"open_tree", 428, 0},
    {"move_mount", 429, 0},
    {"fsopen", 430, 0},
    {"fsconfig", 431, 0},
    {"fsmount", 432, 0},
    {"fspick", 433, 0},
    {"mount_setattr", 442, 0},
    {"quotactl_fd", 443, 0},
#ifdef SYS_kexec_file_load
    NAME(kexec_file_load),
#endif
#ifdef SYS_iopl
    NAME(iopl),
    NAME(ioperm),
#endif
};

TEST_WHERE(confine_can_filter, what_no_training_needs_is_refused_whatever_it_says)
{
    static const unsigned long long arguments[] = {0, 1, AF_UNIX, SIGCHLD, 0xffffffff, HIGH};

    for (size_t i = 0; i < COUNT(refused); i++)
        for (size_t j = 0; j < COUNT(arguments); j++)
            expect(&(struct call){refused[i].name, refused[i].number, arguments[j]}, HERE,
                   REFUSED);
}

TEST_WHERE(confine_can_filter, what_depends_is_refused_where_it_has_to_be)
{
    static const struct call calls[] = {
        {"personality", SYS_personality, READ_IMPLIES_EXEC},
        {"personality", SYS_personality, ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC},
        {"personality", SYS_personality, PER_LINUX32},
        {"clone", SYS_clone, CLONE_NEWNS},
        {"clone", SYS_clone, CLONE_NEWCGROUP},
        {"clone", SYS_clone, CLONE_NEWUTS},
        {"clone", SYS_clone, CLONE_NEWIPC},
        {"clone", SYS_clone, CLONE_NEWUSER | SIGCHLD},
        {"clone", SYS_clone, CLONE_NEWPID},
        {"clone", SYS_clone, CLONE_NEWNET},
        {"clone", SYS_clone, HIGH | CLONE_NEWUSER | CLONE_VM},
        {"kill", SYS_kill, 1},
        {"kill", SYS_kill, 0xffffffff}, /* -1: all that may be signalled */
        {"kill", SYS_kill, HIGH | 77},
        {"tgkill", SYS_tgkill, 77},
        {"prlimit64", SYS_prlimit64, 77},
        {"sched_setscheduler", SYS_sched_setscheduler, 77},
        {"sched_setparam", SYS_sched_setparam, 77},
        {"sched_setattr", SYS_sched_setattr, 77},
        {"sched_setaffinity", SYS_sched_setaffinity, 77},
        {"move_pages", SYS_move_pages, 77},
        {"migrate_pages", SYS_migrate_pages, 77},
    };

    for (size_t i = 0; i < COUNT(calls); i++)
        expect(&calls[i], HERE, REFUSED);
}

TEST_WHERE(confine_can_filter, calls_that_training_needs_are_permitted)
{
    static const struct call calls[] = {
        NAME(read),
        NAME(write),
        NAME(openat),
        NAME(close),
        NAME(mmap),
        NAME(mprotect),
        NAME(madvise),
        NAME(futex),
        NAME(execve),
        NAME(exit_group),
        NAME(prctl),
        NAME(sched_setaffinity),
        NAME(sched_getaffinity),
        NAME(set_mempolicy),
        NAME(mbind),
        NAME(clock_gettime),
        NAME(clock_nanosleep),
        NAME(rt_sigaction),
        NAME(socketpair),
        NAME(kill),
        NAME(prlimit64),
#ifdef CONFINE_SANITIZED
        NAME(ptrace), /* sanitizers need it for themselves */
#endif
        {"kill", SYS_kill, CONFINE_SELF},
        {"tgkill", SYS_tgkill, CONFINE_SELF},
        {"fcntl", SYS_fcntl, 77},
        {"a call of the future", 9999, 0},
        {"personality", SYS_personality, 0},
        {"personality", SYS_personality, ADDR_NO_RANDOMIZE},
        {"personality", SYS_personality, 0xffffffff},
        {"clone", SYS_clone, SIGCHLD},
        {"clone", SYS_clone,
         CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
             CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID},
    };

    for (size_t i = 0; i < COUNT(calls); i++)
        expect(&calls[i], HERE, SECCOMP_RET_ALLOW);
}

/* Its flags lie in memory; the C library then takes clone(). */
TEST_WHERE(confine_can_filter, the_new_clone_is_not_there)
{
    expect(&(struct call){"clone3", 435, 0}, HERE, SECCOMP_RET_ERRNO | ENOSYS);
}

/* There the same numbers mean something else. */
TEST_WHERE(confine_can_filter, another_architecture_is_the_end)
{
    static const struct call call = NAME(read);

    expect(&call, THIRTY_TWO, SECCOMP_RET_KILL_PROCESS);
    expect(&call, ELSEWHERE, SECCOMP_RET_KILL_PROCESS);
    expect(&call, 0, SECCOMP_RET_KILL_PROCESS);
}

#ifdef __x86_64__
TEST_WHERE(confine_can_filter, calls_by_their_x32_numbers_are_refused)
{
    expect(&(struct call){"x32", 0x40000000L | SYS_read, 0}, HERE, REFUSED);
    expect(&(struct call){"x32", 0x40000000L | SYS_ptrace, 0}, HERE, REFUSED);
    expect(&(struct call){"x32", 0x40000000L + 520 /* execve */, 0}, HERE, REFUSED);
    expect(&(struct call){"no call at all", -1, 0}, HERE, REFUSED);
}
#endif

TEST(without_confinement_there_is_none)
{
    struct confinement little;

    confine_prepare(CONFINE_LITTLE, &little);
    EXPECT_INT(little.length, 0);
}

/* Of an engine of others the network, memory and signals are its own affair; limits and
 * priorities of other processes are not. */
TEST_WHERE(confine_can_filter, no_engine_bends_another_process_by_whichever_argument_names_it)
{
    static const struct {
        enum confine_how how;
        long number;
        unsigned long long first, second;
        unsigned verdict;
    } rows[] = {
        {CONFINE_OURS, SYS_setpriority, 0, 77, REFUSED},
        {CONFINE_OURS, SYS_setpriority, 0, 0, SECCOMP_RET_ALLOW},
        {CONFINE_OURS, SYS_ioprio_set, 0, 77, REFUSED},
        {CONFINE_OURS, SYS_fcntl, 0, F_SETOWN, REFUSED},
        {CONFINE_OURS, SYS_fcntl, 0, F_SETOWN_EX, REFUSED},
        {CONFINE_OURS, SYS_fcntl, 0, F_SETFL, SECCOMP_RET_ALLOW},
        {CONFINE_OURS, SYS_ioctl, 0, 0x8901, REFUSED},
        {CONFINE_OURS, SYS_ioctl, 0, 0x8902, REFUSED},
        {CONFINE_OURS, SYS_ioctl, 0, 0x541b, SECCOMP_RET_ALLOW}, /* FIONREAD */
        {CONFINE_OTHERS, SYS_socket, AF_INET, SOCK_STREAM, SECCOMP_RET_ALLOW},
        {CONFINE_OTHERS, SYS_kill, 7, SIGKILL, SECCOMP_RET_ALLOW},
        {CONFINE_OTHERS, SYS_sched_setaffinity, 7, 0, SECCOMP_RET_ALLOW},
        {CONFINE_OTHERS, SYS_prlimit64, 0, 0, SECCOMP_RET_ALLOW},
        {CONFINE_OTHERS, SYS_prlimit64, CONFINE_SELF, 0, SECCOMP_RET_ALLOW},
        {CONFINE_OTHERS, SYS_prlimit64, 7, 0, REFUSED},
        {CONFINE_OTHERS, SYS_setpriority, 0, 0, SECCOMP_RET_ALLOW},
        {CONFINE_OTHERS, SYS_setpriority, 0, 7, REFUSED},
        {CONFINE_OTHERS, SYS_ioprio_set, 1, 7, REFUSED},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct seccomp_data data = {
            .nr = (int)rows[i].number, .arch = HERE, .args = {rows[i].first, rows[i].second}};
        struct confinement confinement;

        confine_prepare(rows[i].how, &confinement);
        EXPECT_INT(filter_verdict(&confinement, &data), rows[i].verdict);
    }
}
