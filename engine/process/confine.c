#include "engine/process/confine.h"

#include "common/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define X32_BIT 0x40000000u
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define QUESTION 0xffffffffu /* personality() only returns the present value */
#define NAMESPACES                                                                               \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |               \
     CLONE_NEWPID | CLONE_NEWNET)

#ifdef ARCHITECTURE
/* Refused with any arguments. */
static const unsigned refused[] = {
/* the memory of others */
#ifndef CONFINE_SANITIZED
    SYS_ptrace,
#endif
    SYS_process_vm_readv, SYS_process_vm_writev, SYS_userfaultfd,
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
    /* other programs: a local socket reaches them too. socketpair() is another call */
    SYS_socket,
    /* signals to others, and looks at them */
    SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_kcmp,
#ifdef SYS_pidfd_open
    SYS_pidfd_open, SYS_pidfd_send_signal,
#endif
#ifdef SYS_process_madvise
    SYS_process_madvise,
#endif
    /* what the file system looks like */
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare,
    SYS_open_by_handle_at, SYS_quotactl, SYS_acct, SYS_swapon, SYS_swapoff,
#ifdef SYS_open_tree
    SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick,
#endif
#ifdef SYS_mount_setattr
    SYS_mount_setattr,
#endif
#ifdef SYS_quotactl_fd
    SYS_quotactl_fd,
#endif
    /* the kernel itself */
    SYS_bpf, SYS_perf_event_open, SYS_init_module, SYS_finit_module, SYS_delete_module,
    SYS_kexec_load, SYS_reboot,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
    SYS_iopl, SYS_ioperm,
#endif
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
#endif
    /* clocks, and keys in the kernel */
    SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_add_key,
    SYS_request_key, SYS_keyctl};

static void seccomp_add(struct confinement *to, struct sock_filter line)
{
    if (to->length < CONFINE_PROGRAM_MAX)
        to->program[to->length++] = line;
}

/* Loads a word of the kernel's description of a call. */
static void seccomp_load(struct confinement *to, size_t offset)
{
    seccomp_add(to, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void seccomp_verdict(struct confinement *to, unsigned value)
{
    seccomp_add(to, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value));
}

/* With what was loaded: passes over `over` lines unless it is as `test` says. */
static void seccomp_unless(struct confinement *to, unsigned short test, unsigned value,
                           unsigned char over)
{
    seccomp_add(to, (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, value, 0, over));
}

#define REFUSE SECCOMP_RET_ERRNO | EPERM
#define PERMIT SECCOMP_RET_ALLOW
#define OFFSET_CALL offsetof(struct seccomp_data, nr)
/* The lower half of an argument: the kernel takes an int for these. */
#define OFFSET_FIRST offsetof(struct seccomp_data, args)
#define OFFSET_SECOND offsetof(struct seccomp_data, args[1])

/* Requests of ioctl() that say who gets a descriptor's signals, as F_SETOWN does. */
#define SET_OWNER 0x8901
#define SET_GROUP 0x8902

/* What a process may do only to itself: signals, priorities, limits, processors, pages. The first
 * argument names the process. */
static const unsigned of_itself[] = {
    SYS_kill,           SYS_tgkill,        SYS_prlimit64,         SYS_sched_setscheduler,
    SYS_sched_setparam, SYS_sched_setattr, SYS_sched_setaffinity, SYS_migrate_pages,
    SYS_move_pages};
/* The same with the second argument. */
static const unsigned of_itself_by_second[] = {SYS_setpriority, SYS_ioprio_set};

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower half comes first");

/* Permits a call about the process that makes it: by 0, or by its number, which confine_apply()
 * writes into the line. */
static void permit_of_itself(struct confinement *to, unsigned call)
{
    seccomp_unless(to, BPF_JEQ, call, 6);
    seccomp_load(to, OFFSET_FIRST);
    seccomp_unless(to, BPF_JEQ, 0, 1);
    seccomp_verdict(to, PERMIT);
    if (to->self_count < CONFINE_SELVES_MAX)
        to->selves[to->self_count++] = to->length;
    seccomp_unless(to, BPF_JEQ, CONFINE_SELF, 1);
    seccomp_verdict(to, PERMIT);
    seccomp_verdict(to, REFUSE);
}

/* Refuses a call with either of two second arguments. */
static void refuse_second(struct confinement *to, unsigned call, unsigned one, unsigned other)
{
    seccomp_unless(to, BPF_JEQ, call, 6);
    seccomp_load(to, OFFSET_SECOND);
    seccomp_unless(to, BPF_JEQ, one, 1);
    seccomp_verdict(to, REFUSE);
    seccomp_unless(to, BPF_JEQ, other, 1);
    seccomp_verdict(to, REFUSE);
    seccomp_verdict(to, PERMIT);
}

static void permit_of_itself_by_second(struct confinement *to)
{
    for (size_t i = 0; i < COUNT(of_itself_by_second); i++) {
        seccomp_unless(to, BPF_JEQ, of_itself_by_second[i], 4);
        seccomp_load(to, OFFSET_SECOND);
        seccomp_unless(to, BPF_JEQ, 0, 1);
        seccomp_verdict(to, PERMIT);
        seccomp_verdict(to, REFUSE);
    }
}

/* Other processes of the same user, the server included, are out of reach. */
static void write_reach(struct confinement *to)
{
    for (size_t i = 0; i < COUNT(of_itself); i++)
        permit_of_itself(to, of_itself[i]);
    permit_of_itself_by_second(to);
    refuse_second(to, SYS_fcntl, F_SETOWN, F_SETOWN_EX);
    refuse_second(to, SYS_ioctl, SET_OWNER, SET_GROUP);
}

_Static_assert(COUNT(of_itself) <= CONFINE_SELVES_MAX, "each has its place");

/* Calls that depend on their first argument. Each loads it in the place of the call's number, and
 * so has to end with a verdict. */
static void write_conditions(struct confinement *to)
{
    seccomp_unless(to, BPF_JEQ, SYS_personality, 8);
    seccomp_load(to, OFFSET_FIRST);
    seccomp_unless(to, BPF_JEQ, 0, 1);
    seccomp_verdict(to, PERMIT);
    seccomp_unless(to, BPF_JEQ, ADDR_NO_RANDOMIZE, 1);
    seccomp_verdict(to, PERMIT);
    seccomp_unless(to, BPF_JEQ, QUESTION, 1);
    seccomp_verdict(to, PERMIT);
    seccomp_verdict(to, REFUSE);

    seccomp_unless(to, BPF_JEQ, SYS_clone, 4);
    seccomp_load(to, OFFSET_FIRST);
    seccomp_unless(to, BPF_JSET, NAMESPACES, 1);
    seccomp_verdict(to, REFUSE);
    seccomp_verdict(to, PERMIT);

    /* Its flags lie in memory, which the filter cannot read: the C library then takes clone(). */
#ifdef SYS_clone3
    seccomp_unless(to, BPF_JEQ, SYS_clone3, 1);
    seccomp_verdict(to, SECCOMP_RET_ERRNO | ENOSYS);
#endif
}

/* A foreign engine may signal its children, and bind its threads to processors; confine_files.h
 * keeps its signals within its run. */
static void write_reach_of_others(struct confinement *to)
{
    permit_of_itself(to, SYS_prlimit64);
    permit_of_itself_by_second(to);
}

static void write_program(struct confinement *to, enum confine_how how)
{
    seccomp_load(to, offsetof(struct seccomp_data, arch));
    seccomp_add(to, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    seccomp_verdict(to, SECCOMP_RET_KILL_PROCESS);
    seccomp_load(to, OFFSET_CALL);
#ifdef X32_BIT
    seccomp_unless(to, BPF_JGE, X32_BIT, 1); /* the same calls under other numbers */
    seccomp_verdict(to, REFUSE);
#endif
    if (how == CONFINE_OTHERS) {
        write_reach_of_others(to);
    } else {
        for (size_t i = 0; i < COUNT(refused); i++) {
            seccomp_unless(to, BPF_JEQ, refused[i], 1);
            seccomp_verdict(to, REFUSE);
        }
        write_reach(to);
        write_conditions(to);
    }
    seccomp_verdict(to, PERMIT);
}

_Static_assert(2 * COUNT(refused) + 7 * COUNT(of_itself) + 56 < CONFINE_PROGRAM_MAX,
               "the program has room");
#endif

bool confine_can_filter(void)
{
#ifdef ARCHITECTURE
    unsigned action = SECCOMP_RET_ERRNO;

    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#else
    return false;
#endif
}

void confine_prepare(enum confine_how how, struct confinement *ret_confinement)
{
    *ret_confinement =
        (struct confinement){.drop = how == CONFINE_OURS, .files.scopes = how == CONFINE_OTHERS};
#ifdef ARCHITECTURE
    if (how != CONFINE_LITTLE && confine_can_filter())
        write_program(ret_confinement, how);
#endif
}

/* Never more than there was. */
static bool confine_limit(__rlimit_resource_t what, rlim_t most)
{
    struct rlimit old;

    if (getrlimit(what, &old) != 0)
        return false;
    if (old.rlim_max > most)
        old.rlim_max = most;
    if (old.rlim_cur > old.rlim_max)
        old.rlim_cur = old.rlim_max;
    return setrlimit(what, &old) == 0;
}

/* A process without capabilities may be forbidden even to drop them. */
static bool has_no_capability(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct now[_LINUX_CAPABILITY_U32S_3];

    if (syscall(SYS_capget, &header, now) != 0)
        return false;
    for (size_t i = 0; i < COUNT(now); i++)
        if (now[i].effective || now[i].permitted || now[i].inheritable)
            return false;
    return true;
}

/* The bounding set is emptied as far as we may: together with no new privileges, no exec gives
 * back what is taken here. */
static bool drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    static const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

    for (unsigned long capability = 0;
         prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0 && capability < 64; capability++)
        (void)prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &header, none) == 0 || has_no_capability();
}

/* A filter must not slow down what is measured: kernels before 5.16 would otherwise forbid the
 * processor to speculate past stores in a process that has one. */
static bool seccomp_write(const struct confinement *confinement)
{
    struct confinement mine = *confinement;
    struct sock_fprog filter = {.len = mine.length, .filter = mine.program};

    for (unsigned i = 0; i < mine.self_count; i++)
        mine.program[mine.selves[i]].k = (unsigned)getpid();
    return confinement->length == 0 ||
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                   &filter) == 0 ||
           (errno == EINVAL && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0);
}

bool confine_apply(const struct confinement *confinement)
{
    umask(077);
    return confine_limit(RLIMIT_CORE, 0) && confine_limit(RLIMIT_NOFILE, CONFINE_FILES) &&
           confine_limit(RLIMIT_FSIZE, CONFINE_FILE_BYTES) &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           confine_files_apply(&confinement->files) &&
           (!confinement->drop || drop_capabilities()) && seccomp_write(confinement);
}

void confine_hide(void)
{
#ifndef CONFINE_SANITIZED
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}
