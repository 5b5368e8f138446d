/* Everything that lives as long as the process: its parts, made in order and ended in reverse. */
#pragma once

#include "server/http/http.h"
#include "server/http/server.h"

struct process {
    struct config config;
    struct engines engines;
    struct feeds feeds;
    struct server server;
    struct large_body_slots room;
    struct sweeper_repeats repeats; /* of a bench, which fills it in before it wakes the runner */
    struct deadlines *deadlines;
    struct http *http; /* NULL where nobody is served */
    int lock;
};

/* A process with a copy of `config`, all of it still to be made; free() it when it has ended. */
struct process *process_new(const struct config *config, struct error *err)
    __attribute__((warn_unused_result));

/* With `serving`, answers requests when it returns; without, only what is queued is run, once the
 * runner is woken: whoever benches has no port. Whatever comes of it, process_end() comes after.
 */
bool process_begin(struct process *process, bool serving, struct error *err)
    __attribute__((warn_unused_result));

/* Ends what is under way. */
void process_end(struct process *process);

/* Of one that serves: reads --tokens again and opens --audit anew, and tells the log. */
void process_reload(struct process *process);
/* Makes the folders above `path`; what is there already is left as it is. */
bool process_make_folders(const char *path, struct error *err)
    __attribute__((warn_unused_result));

/* The signals that end us are blocked in every thread from here on, and *ret_signals is what
 * sigwait() and its like take; SIGHUP is among them, and means what the taker makes of it. Before
 * any thread is made. */
void process_block_signals(sigset_t *ret_signals);
