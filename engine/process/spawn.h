/* How a process is born so that it cannot outlive us, and how leftovers are found. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct child {
    pid_t pid;          /* also its process group */
    int pidfd;          /* readable when it has exited */
    int input;          /* its stdin; ours to write */
    int output, errors; /* its stdout and stderr; ours to read, never blocking */
};

/* What is started, and how. */
struct launch {
    char *const *command; /* NULL-terminated, looked up in PATH */
    const char *run_id;   /* becomes PENNYWORTH_RUN */
    const char *preload;  /* comes first in LD_PRELOAD; "" for nothing */
    bool ours;            /* our own worker, confined as such: see confine.h */
};

/* See worker_start() for the environment. */
bool spawn_child(struct child *ret_child, const struct launch *launch, struct error *err)
    __attribute__((warn_unused_result));

/* Writes one line to its stdin without ever blocking: the pipe holds 64 KiB. */
bool child_tell(struct child *child, const char *line, struct error *err)
    __attribute__((warn_unused_result));

/* Kills every process that still carries PENNYWORTH_RUN=run_id: whatever a killed server could
 * not clean up. Returns how many there were. */
int spawn_sweep(const char *run_id);
