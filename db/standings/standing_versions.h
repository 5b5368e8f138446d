/* What the files behind standings.h share: the runs of each version of a contender, which of the
 * versions is its standing, and the list of contenders. */
#pragma once

#include "db/standings/standings.h"
#include "db/stmt.h"

/* Of half a million runs when the server starts, which is too often for snprintf(). */
void standing_copy(char *to, size_t size, const char *from);
#define STANDING_COPY(member, from) standing_copy((member), sizeof(member), (from))

/* A run from columns from `first` on: number, validity, samples_per_second, throughput_low,
 * throughput_high, vm, ended_us, provenance. */
struct run_result standing_result(struct stmt *row, int first);

/* The newest valid runs of a version, and how many beside them are not. The runs of this server
 * and of the operator have a place for STANDING_RUNS_MAX together, and those of all senders for
 * as many: where these are full, a run of a sender takes the place of the oldest run of the
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

/* Adds a run of a sender ("" where it has none); those of one sender come newest first. False
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
bool history_sum_up(struct db *db, struct history *history, struct version_runs *version,
                    struct error *err) __attribute__((warn_unused_result));

struct version_list {
    struct version_runs *versions; /* owned */
    size_t count, room;
};

void version_list_free(struct version_list *list); /* a zeroed one is fine */
void version_list_add(struct version_list *list, long long number, const char *name);

/* Puts the versions in order, chooses the one that is the standing, and replaces version,
 * standing, older versions and newest run of the contender by what the list says. The list is not
 * empty. */
bool version_list_take(struct db *db, struct version_list *list, struct contender *contender,
                       struct error *err) __attribute__((warn_unused_result));

/* The key of a contender from columns 0 to 7: number, workload, engine, configuration, provider,
 * instance, stratum, published. */
void contender_read_key(struct stmt *row, struct contender *contender);
void contender_clear(struct contender *contender);

/* Appends it, and leaves a zeroed one behind. */
void standings_add(struct standings *standings, struct contender *contender);
