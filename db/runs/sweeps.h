/* Sweeps as rows, and their runs. */
#pragma once

#include "db/db.h"
#include "engine/sweep/sweep.h"
#include "engine/sweep/sweep_result.h"

#include <stddef.h>

enum sweep_state { SWEEP_RUNNING, SWEEP_FINISHED, SWEEP_CANCELLED };

/* A cell as stored. */
struct sweep_row_cell {
    char *name, *spec_text; /* owned */
    char *refused;          /* owned, or NULL */
    long long round;
};

/* Cleared with sweep_row_clear(). */
struct sweep_row {
    long long number;
    struct run_id id;
    enum sweep_state state;
    char *request; /* owned: as the client sent it, in one line */
    long long created_us, ended_us;
    long long rounds; /* begun ones */
    struct sweep_row_cell *cells;
    size_t count;
};

/* What a new sweep, or a new round of one, needs. */
struct sweep_order {
    const struct sweep *sweep;
    size_t first; /* cells before this one are there already */
    long long round, blocks;
    const char *request, *idempotency_key; /* the latter may be NULL */
    const char *instance;
    long long now_us, queue_limit;
    /* NULL, or whether a sweep that is new may queue so many runs; as in struct run_order. */
    bool (*may)(void *user, long long runs);
    void *user;
    long long runs;
};

/* Stores a sweep and queues the runs of its first round, all durably or nothing. The same key
 * with the same request answers the sweep it made before and sets *ret_replayed; with another it
 * is ERROR_MISMATCH. */
bool sweeps_create(struct db *db, const struct sweep_order *order, struct run_id *ret_id,
                   bool *ret_replayed, struct error *err) __attribute__((warn_unused_result));

/* Stores the cells of another round and queues its runs. */
bool sweeps_add_round(struct db *db, const struct sweep_row *row, const struct sweep_order *order,
                      struct error *err) __attribute__((warn_unused_result));

bool sweeps_find(struct db *db, const char *id, struct sweep_row *ret_row, struct error *err)
    __attribute__((warn_unused_result));

/* The running sweep with the smallest number above `after`; *ret_found is false when there is
 * none. */
bool sweeps_next_running(struct db *db, long long after, struct run_id *ret_id, bool *ret_found,
                         struct error *err) __attribute__((warn_unused_result));

/* Calls tell() for each, newest first, without its cells. `before` 0 starts at the newest. */
bool sweeps_each(struct db *db, long long before, long long limit,
                 void (*tell)(void *user, const struct sweep_row *row), void *user,
                 struct error *err) __attribute__((warn_unused_result));

/* A run of a sweep, with its name. */
struct sweep_row_run {
    struct run_id id;
    struct sweep_run run;
    long long
        seconds; /* between its start and its end, rounded up; 0 of one that did not begin */
    long long ended_us;      /* 0 before that */
    double dollars_per_hour; /* of this machine while it ran; 0 where that is not known */
};

/* All runs in the order of the queue. The caller frees *ret_runs. */
bool sweeps_runs(struct db *db, long long number, struct sweep_row_run **ret_runs,
                 size_t *ret_count, struct error *err) __attribute__((warn_unused_result));

struct sweep_repeat {
    const char *instance;
    long long now_us, seconds; /* seconds: that are left for repeating */
};

/* Queues the runs again that were interrupted or preempted, at most three times in all for each
 * cell and block. */
bool sweeps_requeue(struct db *db, const struct sweep_row *row, const char *instance,
                    long long now_us, struct error *err) __attribute__((warn_unused_result));

/* Where nothing of the sweep is queued or running: queues one run again that finished but is
 * invalid, the first there is, as long as its cell and block have been tried less than three
 * times in all and `seconds` are enough for as long as that run took. The invalid run stays as it
 * is; the new one's limit of time is cut to `seconds`. *ret_queued says whether one was queued.
 */
bool sweeps_repeat(struct db *db, const struct sweep_row *row, struct sweep_repeat repeat,
                   bool *ret_queued, struct error *err) __attribute__((warn_unused_result));

/* running -> finished or cancelled; of the latter the queued runs become cancelled too. From
 * another state it is ERROR_CONFLICT. */
bool sweeps_end(struct db *db, const char *id, enum sweep_state state, long long now_us,
                struct error *err) __attribute__((warn_unused_result));

/* "running", "finished", "cancelled". */
const char *sweep_state_name(enum sweep_state state);

/* A zeroed row is fine. */
void sweep_row_clear(struct sweep_row *row);
