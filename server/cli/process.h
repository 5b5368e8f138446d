/* The parts that live as long as the process: created in order and ended in reverse. */
#pragma once

#include "server/http/http.h"
#include "server/http/server.h"

struct db_lock;

struct process {
    struct config config;
    struct engines engines;
    struct feeds feeds;
    struct server server;
    struct signing_key key;
    struct large_body_slots room;
    struct sweeper_repeats repeats; /* a bench sets this before it wakes the runner */
    struct deadlines *deadlines;
    struct http *http; /* NULL in a process that does not serve */
    struct db_lock *lock;
};

/* Copies `config` and parses --feed and --engine, but creates no part yet; free() it after
 * process_end(). ERROR_INVALID names the option. */
MUST_USE struct process *process_new(const struct config *config, struct error *err);

/* Creates the parts. If `serving`, the process answers requests from now on; else it opens no
 * port and runs the queue once the runner is woken. Call process_end() afterwards, also after a
 * failure. */
MUST_USE bool process_begin(struct process *process, bool serving, struct error *err);

/* Interrupts the current run, and ends all parts. */
void process_end(struct process *process);

/* For a serving process: reads --tokens again, reopens --audit, and logs the result. */
void process_reload(struct process *process);
/* Creates the folders above `path`; does not change existing ones. */
MUST_USE bool process_make_folders(const char *path, struct error *err);

/* Blocks the signals that end the process, and SIGHUP, in every thread from here on; pass
 * *ret_signals to sigwait(). The caller decides what SIGHUP does. Call it before any thread
 * starts.
 */
void process_block_signals(sigset_t *ret_signals);
