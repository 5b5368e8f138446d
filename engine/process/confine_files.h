/* Which files our own worker may use, said to the kernel (Landlock, Linux 5.13): it reads the
 * system's libraries and what the system tells of itself, runs its own program, and writes its
 * cache. All other files are refused with EACCES, whatever their owner and mode: the database,
 * tokens, home folders. Processes outside are out of reach too: their memory, environment and
 * open files in /proc, and, where the kernel knows it (6.12), their signals. */
#pragma once

#include "common/must_use.h"

#include <limits.h>
#include <stdbool.h>

struct confine_files {
    bool wanted;
    bool scopes;                  /* not the files, but signals and traces of processes outside */
    char program[PATH_MAX];       /* "": not found, so it will not run either */
    char libraries[2 * PATH_MAX]; /* files and folders with colons between, beyond the system's */
    char cache[PATH_MAX];         /* "": none */
};

/* Whether this kernel restricts files, and our own confinement permits it. */
bool confine_can_restrict_files(void);

/* The same of signals and traces. */
bool confine_can_keep_signals(void);

/* What the worker of this command will need, found out before the fork. `preload` is as in struct
 * launch; `home` is the one of another user, or NULL. */
void confine_files_prepare(const char *command, const char *preload, const char *home,
                           struct confine_files *ret_files);

/* Makes the cache, and restricts the calling process, which has no new privileges, for good. Only
 * calls that a child of a process with threads may make. False, with errno, when it could not be
 * done. */
MUST_USE bool confine_files_apply(const struct confine_files *files);
