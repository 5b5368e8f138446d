/* The runs of one version of a contender, grouped by sender. */
#pragma once

#include "common/limits.h"
#include "db/db.h"
#include "engine/run/version.h"
#include "engine/stats/sources.h"
#include "engine/stats/standing.h"

#include <stddef.h>

/* The newest valid runs of a version, and the number of invalid ones. This server and the
 * operator share room for STANDING_RUNS_MAX runs, all other senders share as much: when that is
 * full, a sender's run replaces the oldest run of the sender with the most. So one sender never
 * displaces another. A zeroed one may be freed. */
struct history {
    struct run_result *results; /* owned; room for HISTORY_ROOM */
    size_t count;
    struct run_source *sources; /* owned; room for HISTORY_SOURCES */
    size_t source_count;
    long long invalid;
};
#define HISTORY_ROOM (2 * STANDING_RUNS_MAX)
#define HISTORY_SOURCES (STANDING_RUNS_MAX + 2)

/* Empties it, and allocates room the first time. */
void history_start(struct history *history);
void history_free(struct history *history);

/* Adds a run of a sender ("" if none); the runs of one sender come newest first. False if its
 * older runs will not count either. */
bool history_add(struct history *history, const char *sender,
                 const struct run_result *run_result);

/* Notes that a sender has a run of this number, which may be too old to count. */
void history_came(struct history *history, const char *sender, long long number);

/* The combined runs of one version. */
struct version_runs {
    char name[RUN_VERSION_SIZE];
    long long number, newest_run; /* rows; newest_run is the newest that counts, 0 if none */
    struct standing standing;
    struct run_source *sources; /* owned: senders in the standing, the largest share first */
    size_t source_count;
};

/* Pools the runs by sender; add no more runs afterwards. */
MUST_USE bool history_sum_up(struct db *db, struct history *history, struct version_runs *version,
                             struct error *err);
