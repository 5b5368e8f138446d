/* The runs of one version of a contender, collected by who sent them. */
#pragma once

#include "common/limits.h"
#include "db/db.h"
#include "engine/run/version.h"
#include "engine/stats/sources.h"
#include "engine/stats/standing.h"

#include <stddef.h>

/* The newest valid runs of a version, and how many others are not valid. The runs of this server
 * and of the operator have a place for STANDING_RUNS_MAX together, and the runs of all senders
 * for as many: where these are full, a run of a sender takes the place of the oldest run of the
 * sender who has most. So one sender never displaces another. A zeroed one is fine for
 * history_free().
 */
struct history {
    struct run_result *results; /* owned; room for HISTORY_ROOM */
    size_t count;
    struct run_source *sources; /* owned; room for HISTORY_SOURCES */
    size_t source_count;
    long long invalid;
};
#define HISTORY_ROOM (2 * STANDING_RUNS_MAX)
#define HISTORY_SOURCES (STANDING_RUNS_MAX + 2)

/* Empties it, and makes room where there is none yet. */
void history_start(struct history *history);
void history_free(struct history *history);

/* Adds a run of a sender ("" where it has none); the runs of one sender come newest first. False
 * where its older runs will not count either. */
bool history_add(struct history *history, const char *sender,
                 const struct run_result *run_result);

/* Says that a sender was here with a run of this number, which may be too old to count. */
void history_came(struct history *history, const char *sender, long long number);

/* What the runs of one version come to. */
struct version_runs {
    char name[RUN_VERSION_SIZE];
    long long number, newest_run; /* rows; the run is the newest that counts, 0 without one */
    struct standing standing;
    struct run_source *sources; /* owned: whose the standing is, the largest share first */
    size_t source_count;
};

/* Pools the runs by their sources; of no use for adding afterwards. */
MUST_USE bool history_sum_up(struct db *db, struct history *history, struct version_runs *version,
                             struct error *err);
