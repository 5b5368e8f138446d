/* Follows the runs of a sweep and prints their begin, progress and end. Prints the first figure
 * after five steps, then one every 20 seconds; on a terminal every second, over the same line. */
#pragma once

#include "db/runs/sweep_runs.h"
#include "db/runs/sweeps.h"
#include "server/http/server.h"

#include <stdio.h>

#define BENCH_WATCH_MAX 64 /* runs, including repeated attempts */

struct bench_watch {
    const struct server *server;
    FILE *out;
    bool terminal; /* `out` is one */
    struct run_id sweep;
    size_t planned; /* runs */
    /* The caller zeroes the rest. */
    struct {
        struct run_id id;
        bool begun, figure, ended; /* was printed */
    } runs[BENCH_WATCH_MAX];
    size_t count;
    long long printed_ns;
    bool line_is_open; /* on a terminal: the line holds progress, and is overwritten */
};

struct bench_sight {
    bool over;             /* no further run will begin */
    bool idle;             /* all its runs have ended, but the sweep may queue more */
    size_t ended;          /* runs that have ended since the last look */
    size_t settled;        /* all that have ended and are not tried again */
    struct run_id running; /* or "" */
    long long steps;       /* of the running one */
};

/* Reads the state once, with a borrowed connection, and prints the news. */
MUST_USE bool bench_watch_look(struct bench_watch *watch, struct bench_sight *ret_sight,
                               struct error *err);
