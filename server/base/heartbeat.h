/* The heartbeat of a command without a port, for "pennyworth health": a small file next to the
 * database, FILE.heartbeat. The command holds it locked while it lives and writes it when it has
 * made progress, every five seconds at most (more often in haste, common/haste.h), without
 * waiting for the disk. The kernel releases the lock even after kill -9, so the file of a dead
 * command is ignored. Times are monotonic: a set clock or a suspended machine does not stop the
 * heartbeat. The file stays when the command ends. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

#define HEARTBEAT_SIZE 512
#define HEARTBEAT_DOING 160

/* The command's side, for one thread. Zeroed, it does nothing. */
struct heartbeat {
    int file;             /* valid unless `name` is "" */
    bool locked;          /* else another command has the lock: each beat tries again */
    char name[4096 + 16]; /* of the file */
    const char *command;  /* "bench" or "push" */
    long long patience_s; /* after so long without progress the command hangs */
    long long written_ns;
};

/* Logs an error if the file cannot be created, and goes on: the measurement matters more.
 * `command` is borrowed. */
void heartbeat_start(struct heartbeat *heartbeat, const char *database, const char *command,
                     long long patience_s);

/* Records progress; `doing` describes the work in a few words. Returns false if it is too early
 * to write again, or if another command has the file; the caller may repeat the call. */
bool heartbeat_beat(struct heartbeat *heartbeat, const char *doing, long long now_ns);

/* Accepts a zeroed heartbeat. */
void heartbeat_end(struct heartbeat *heartbeat);

enum heartbeat_state {
    HEARTBEAT_NONE,      /* no command holds the file */
    HEARTBEAT_BEATS,     /* it makes progress */
    HEARTBEAT_STOPPED,   /* it lives, and has made none for longer than its patience */
    HEARTBEAT_ELSEWHERE, /* a command of another container or machine has the file */
};

/* The heartbeat as another process sees it. */
struct heartbeat_view {
    enum heartbeat_state state;
    char command[16];
    char doing[HEARTBEAT_DOING];
    long long process, silent_s, patience_s; /* silent: since the last progress */
};

/* Reads the file next to the database; changes nothing. Returns false if the file exists and
 * cannot be read; err says why. */
MUST_USE bool heartbeat_look(const char *database, long long now_ns,
                             struct heartbeat_view *ret_view, struct error *err);
