/* A sign of life of a command without a port, for those who ask from outside whether it still
 * gets on ("pennyworth health"): a small file beside the database, FILE.heartbeat, that the
 * command holds locked for as long as it lives and writes when it has made progress, every five
 * seconds at most, without waiting for the disk. The kernel gives the lock back even after kill
 * -9, so what a dead command wrote says nothing. Times are monotonic: neither a calendar that is
 * set nor a machine that slept makes a heart stop. The file stays when the command has ended. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

#define HEARTBEAT_SIZE 512
#define HEARTBEAT_DOING 160

/* Of the command; one thread. Zeroed: there is none, and heartbeat_beat() does nothing. */
struct heartbeat {
    int file;             /* valid where `name` is not "" */
    bool locked;          /* else another command has it: tried again with each beat */
    char name[4096 + 16]; /* of the file */
    const char *command;  /* "bench" or "push" */
    long long patience_s; /* without progress for longer, it hangs */
    long long written_ns;
};

/* Writes to the log where the file cannot be made; that is no failure: what is measured is worth
 * more than the sign. `command` is borrowed. */
void heartbeat_start(struct heartbeat *heartbeat, const char *database, const char *command,
                     long long patience_s);

/* There was progress; `doing` says in a few words what is done now. False where it was not
 * written because that is too early, or because another command has the file: the caller may come
 * again. */
bool heartbeat_beat(struct heartbeat *heartbeat, const char *doing, long long now_ns);

/* A zeroed one is fine. */
void heartbeat_end(struct heartbeat *heartbeat);

enum heartbeat_state {
    HEARTBEAT_NONE,      /* no command beats there */
    HEARTBEAT_BEATS,     /* it makes progress */
    HEARTBEAT_STOPPED,   /* it lives, and has made none for longer than it may */
    HEARTBEAT_ELSEWHERE, /* a command of another container or machine has the file */
};

/* What is known from outside. */
struct heartbeat_view {
    enum heartbeat_state state;
    char command[16];
    char doing[HEARTBEAT_DOING];
    long long process, silent_s, patience_s; /* silent: since the last progress */
};

/* Looks at the file beside that database, and changes nothing. False when there is one that
 * cannot be read; err says why. */
bool heartbeat_look(const char *database, long long now_ns, struct heartbeat_view *ret_view,
                    struct error *err) __attribute__((warn_unused_result));
