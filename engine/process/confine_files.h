/* Restricts the files of our own worker (Landlock, Linux 5.13): it reads the system's libraries
 * and system information, runs its own program, and writes its cache. All other files are refused
 * with EACCES, whatever their owner and mode: the database, tokens, home folders. Other processes
 * are out of reach too: their memory, environment and open files in /proc, and, with Linux 6.12,
 * their signals. */
#pragma once

#include "common/must_use.h"

#include <limits.h>
#include <stdbool.h>

struct confine_files {
    bool wanted;
    bool scopes;                  /* restricts signals and traces to its own run, but no files */
    char program[PATH_MAX];       /* "": not found, so it will not run either */
    char libraries[2 * PATH_MAX]; /* files and folders outside the system's, with colons
                                   * between */
    char cache[PATH_MAX];         /* "": none */
};

/* Whether this kernel can restrict files, and our own confinement permits it. */
bool confine_can_restrict_files(void);

/* The same for signals and traces. */
bool confine_can_keep_signals(void);

/* Finds what the worker of this command needs, before the fork. `preload` is as in struct launch;
 * `home` is another user's home, or NULL. */
void confine_files_prepare(const char *command, const char *preload, const char *home,
                           struct confine_files *ret_files);

/* Makes the cache, and restricts the calling process, which has no new privileges, for good.
 * Makes only calls that are allowed after fork in a process with threads. False, with errno, on
 * failure. */
MUST_USE bool confine_files_apply(const struct confine_files *files);
