/* What the files behind standings.h share: the runs of each version of a contender, which of the
 * versions is its standing, and the list of contenders. */
#pragma once

#include "db/standings/standings.h"
#include "db/stmt.h"

/* Of half a million runs when the server starts, which is too often for snprintf(). */
void standing_copy(char *to, size_t size, const char *from);
#define STANDING_COPY(member, from) standing_copy((member), sizeof(member), (from))

/* A run from columns from `first` on: validity, samples_per_second, throughput_low,
 * throughput_high, vm, ended_us, provenance. */
struct run_result standing_result(struct stmt *row, int first);

/* The newest runs of a version that count, and how many beside them do not. A zeroed one is fine
 * for history_free(). */
struct history {
    struct run_result *results; /* owned; room for STANDING_RUNS_MAX */
    size_t count;
    long long invalid;
    long long newest; /* number of the first of them, 0 where there is none */
};

/* Empties it, and makes room where there is none yet. */
bool history_start(struct history *history, struct error *err)
    __attribute__((warn_unused_result));
void history_free(struct history *history);

/* Adds a run, the newest first; where it is full only its newest runs count. */
void history_add(struct history *history, long long run, const struct run_result *run_result);

/* What the runs of one version come to. */
struct version_runs {
    char name[RUN_VERSION_SIZE];
    long long number, newest_run; /* rows; the run is the newest that counts, 0 without one */
    struct standing standing;
};

bool history_sum_up(const struct history *history, struct version_runs *version,
                    struct error *err) __attribute__((warn_unused_result));

struct version_list {
    struct version_runs *versions; /* owned */
    size_t count;
};

void version_list_free(struct version_list *list); /* a zeroed one is fine */
bool version_list_add(struct version_list *list, long long number, const char *name,
                      struct error *err) __attribute__((warn_unused_result));

/* Puts the versions in order, chooses the one that is the standing, and replaces version,
 * standing, older versions and newest run of the contender by what the list says. The list is not
 * empty. */
bool version_list_take(struct db *db, struct version_list *list, struct contender *contender,
                       struct error *err) __attribute__((warn_unused_result));

/* The key of a contender from columns 0 to 7: number, workload, engine, configuration, provider,
 * instance, stratum, published. */
bool contender_read_key(struct stmt *row, struct contender *contender, struct error *err)
    __attribute__((warn_unused_result));
void contender_clear(struct contender *contender);

/* Appends it, and leaves a zeroed one behind. */
bool standings_add(struct standings *standings, struct contender *contender, struct error *err)
    __attribute__((warn_unused_result));
