/* The runs of a history: for each contender the newest that count, in time order. */
#pragma once

#include "common/limits.h"
#include "db/runs/run_filter.h"
#include "engine/history/history.h"
#include "engine/run/version.h"

#define HISTORY_RUNS_MAX 2000 /* finished runs to read, the newest */
#define HISTORY_LINE_MAX 200  /* of one contender: the search takes quadratic time */

/* A run, with the texts that `run` points to. */
struct history_entry {
    struct history_run run;
    char id[27], version[RUN_VERSION_SIZE], kernel[96], microcode[32];
};

struct history_line {
    long long contender;
    char *engine, *instance, *configuration; /* owned; "" where unknown */
    struct history_entry *entries;           /* owned, in time order */
    struct history_run *runs;                /* owned: the same, for history_changes_find() */
    size_t count, room;
};

struct histories {
    struct history_line *lines; /* owned; the line with the newest run first */
    size_t count, room;
    long long runs; /* finished runs read */
    bool more;      /* older runs, of all or of a line, were not read */
};

/* The finished runs of a filter, whose state and limit are ignored. Runs that are invalid, or
 * were never judged, are left out. */
MUST_USE bool histories_load(struct db *db, const struct run_filter *filter,
                             struct histories *ret_histories, struct error *err);

/* A zeroed one is fine. */
void histories_clear(struct histories *histories);
