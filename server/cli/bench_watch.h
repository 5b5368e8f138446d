/* Follows the runs of a sweep and tells people of them: when one begins, how it goes, how it has
 * ended. A first figure comes as soon as five steps are done, then one every 20 seconds; on a
 * terminal every second, in one line that is written anew. */
#pragma once

#include "db/sweeps.h"
#include "server/http/server.h"

#include <stdio.h>

#define BENCH_WATCH_MAX 64 /* runs, those that were tried again included */

struct bench_watch {
    const struct server *server;
    FILE *out;
    bool terminal; /* `out` is one */
    struct run_id sweep;
    size_t planned; /* runs */
    /* Zeroed at first. */
    struct {
        struct run_id id;
        bool begun, figure, ended; /* was told */
    } runs[BENCH_WATCH_MAX];
    size_t count;
    long long printed_ns;
    bool line_is_open; /* of a terminal: it holds progress, and is written anew */
};

struct bench_sight {
    bool over;             /* nothing of it will run any more */
    bool idle;             /* all its runs have ended, but it has not: more may come */
    size_t ended;          /* runs that have ended since the last look */
    size_t settled;        /* that have ended for good, in all */
    struct run_id running; /* or "" */
    long long steps;       /* that the running one has done */
};

/* Looks once, borrowing a connection. */
bool bench_watch_look(struct bench_watch *watch, struct bench_sight *ret_sight, struct error *err)
    __attribute__((warn_unused_result));
