/* Starts a worker's process so that it cannot outlive the server, and kills processes that a
 * killed server left.
 *
 * It forks instead of calling posix_spawn(), because only code between fork and exec can set
 * PR_SET_PDEATHSIG. That signal survives the exec, so every engine dies with the server; but it
 * follows the thread that forked, which must therefore live as long as the process. The worker
 * leads its own process group. Its own children do not get the signal: spawn_sweep() finds them
 * by PENNYWORTH_RUN in their environment. */
#pragma once

#include "common/error.h"
#include "engine/process/confine.h"
#include "engine/process/engine_user.h"

#include <stdbool.h>
#include <sys/types.h>

struct child {
    pid_t pid;          /* also its process group */
    int pidfd;          /* readable when it has exited */
    int input;          /* its stdin; ours to write */
    int output, errors; /* its stdout and stderr; ours to read, never blocking */
};

/* What to start, and how. */
struct launch {
    char *const *command;           /* NULL-terminated, looked up in PATH */
    const char *run_id;             /* becomes PENNYWORTH_RUN */
    const char *preload;            /* prefix of LD_PRELOAD; "" for none */
    enum confine_how how;           /* how it is confined */
    const struct engine_user *user; /* NULL: the server's own */
};

/* See worker_start() for the environment. */
MUST_USE bool spawn_child(struct child *ret_child, const struct launch *launch,
                          struct error *err);

/* Writes one line to its stdin without blocking: the pipe holds 64 KiB. */
MUST_USE bool child_tell(struct child *child, const char *line, struct error *err);

/* Kills every process with PENNYWORTH_RUN=run_id, and returns how many there were. During exec a
 * process has no environment for a moment; it is checked again. */
int spawn_sweep(const char *run_id);
