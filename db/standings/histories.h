/* The runs behind a history: of each contender the newest that count, in the order of time. */
#pragma once

#include "common/limits.h"
#include "db/runs/run_filter.h"
#include "engine/history/history.h"
#include "engine/run/version.h"

#define HISTORY_RUNS_MAX 2000 /* finished runs that are looked at, the newest */
#define HISTORY_LINE_MAX 200  /* of one contender: the search grows with the square */

/* A run, with the texts that `run` points to. */
struct history_entry {
    struct history_run run;
    char id[27], version[RUN_VERSION_SIZE], kernel[96], microcode[32];
};

struct history_line {
    long long contender;
    char *engine, *instance, *configuration; /* owned; "" where there is nothing to say */
    struct history_entry *entries;           /* owned, in the order of time */
    struct history_run *runs;                /* owned: the same, for history_changes_find() */
    size_t count, room;
};

struct histories {
    struct history_line *lines; /* owned; that of the newest run first */
    size_t count, room;
    long long runs; /* finished ones that were looked at */
    bool more;      /* there are older ones, of all or of a line, that were not */
};

/* The finished runs of a filter, whose state and limit do not count. Runs that are invalid, or
 * were never judged, are in no line. */
MUST_USE bool histories_load(struct db *db, const struct run_filter *filter,
                             struct histories *ret_histories, struct error *err);

/* A zeroed one is fine. */
void histories_clear(struct histories *histories);
