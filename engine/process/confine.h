/* What a process that trains may do, said to the kernel between its fork and its exec. Every
 * engine: no new privileges, no core file, at most 1,024 open files, no file of more than 4 GiB,
 * and what it writes is for its owner alone. Our own worker also has no capability, and the
 * kernel refuses with EPERM what no training needs: sockets, calls that reach into other
 * processes' memory, mounts, namespaces, modules, clocks, keys, and signals, priorities and
 * limits of any process but itself; and it can use only the files that confine_files.h permits.
 * An engine of others sets no priorities and limits of other processes, and, where the kernel
 * knows it (6.12), neither signals nor traces any outside its run. /proc reaches into processes
 * of the same user without such a call, so the server hides itself, too.
 */
#pragma once

#include "common/must_use.h"
#include "engine/process/confine_files.h"

#include <linux/filter.h>
#include <stdbool.h>

#define CONFINE_FILES 1024
#define CONFINE_FILE_BYTES (4LL << 30)
#define CONFINE_PROGRAM_MAX 256
#define CONFINE_SELVES_MAX 16
#define CONFINE_SELF 0x7fffffffu /* stands for the process itself until confine_apply() */

/* LeakSanitizer stops its own process by ptrace() to look at its memory. */
#if defined(__SANITIZE_ADDRESS__)
#define CONFINE_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CONFINE_SANITIZED
#endif
#endif

enum confine_how {
    CONFINE_LITTLE, /* limits, and no new privileges */
    CONFINE_OTHERS, /* a foreign engine: what is outside its run is out of reach, too */
    CONFINE_OURS,   /* our own worker */
};

struct confinement {
    struct sock_filter program[CONFINE_PROGRAM_MAX];
    unsigned short length;                     /* 0: no filter */
    unsigned short selves[CONFINE_SELVES_MAX]; /* lines that name the process itself */
    unsigned self_count;
    bool drop; /* capabilities */
    struct confine_files files;
};

/* Whether this kernel has seccomp filters, and our own confinement permits them. */
bool confine_can_filter(void);

/* Prepares the confinement before the fork; for CONFINE_OURS the caller prepares the files by
 * confine_files_prepare(). Without filters in the kernel, or restrictions of files or signals,
 * the rest still applies. */
void confine_prepare(enum confine_how how, struct confinement *ret_confinement);

/* Confines the calling process, for good. Makes only calls that are allowed after fork in a
 * process with threads. False, with errno, if something failed: then the caller must not run
 * anything. */
MUST_USE bool confine_apply(const struct confinement *confinement);

/* Hides the memory, environment and descriptors of the calling process from other processes of
 * its user: no tracing, no /proc/PID/mem, no core file. Its children are hidden too, until exec.
 * Not with sanitizers, which need that access. */
void confine_hide(void);
