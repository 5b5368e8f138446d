/* Sweeps as rows. */
#pragma once

#include "db/db.h"
#include "engine/spec/run_id.h"
#include "engine/sweep/sweep.h"

#include <stddef.h>

enum sweep_state { SWEEP_RUNNING, SWEEP_FINISHED, SWEEP_CANCELLED };

/* A cell as stored. */
struct sweep_row_cell {
    char *name;    /* owned */
    char *refused; /* owned, or NULL */
    struct run_spec spec;
    long long round;
};

/* Cleared with sweep_row_clear(). */
struct sweep_row {
    long long number;
    struct run_id id;
    enum sweep_state state;
    char *request; /* owned: the client's request, in one line */
    long long created_us, ended_us;
    long long rounds; /* rounds begun */
    struct sweep_row_cell *cells;
    size_t count;
};

/* What a new sweep, or a new round, needs. */
struct sweep_order {
    const struct sweep *sweep;
    size_t first; /* cells before this one exist already */
    long long round, blocks;
    const char *request, *idempotency_key; /* the latter may be NULL */
    const char *instance;
    long long now_us, queue_limit;
    /* May refuse a new sweep, or is NULL; as in struct run_order. */
    bool (*may)(void *user, long long runs);
    void *user;
    long long runs;
};

/* Stores a sweep and queues the runs of its first round, durably, all or none. The same key with
 * the same request returns the existing sweep and sets *ret_replayed; with another request it is
 * ERROR_MISMATCH. */
MUST_USE bool sweeps_create(struct db *db, const struct sweep_order *order, struct run_id *ret_id,
                            bool *ret_replayed, struct error *err);

/* Stores the cells of another round and queues its runs. */
MUST_USE bool sweeps_add_round(struct db *db, const struct sweep_row *row,
                               const struct sweep_order *order, struct error *err);

MUST_USE bool sweeps_find(struct db *db, const char *id, struct sweep_row *ret_row,
                          struct error *err);

/* The running sweep with the smallest number above `after`; *ret_found is false if there is
 * none. */
MUST_USE bool sweeps_next_running(struct db *db, long long after, struct run_id *ret_id,
                                  bool *ret_found, struct error *err);

/* Calls tell() for each, newest first, without its cells. `before` 0 starts at the newest. */
MUST_USE bool sweeps_each(struct db *db, long long before, long long limit,
                          void (*tell)(void *user, const struct sweep_row *row), void *user,
                          struct error *err);

/* running -> finished or cancelled; cancelling also cancels its queued runs. ERROR_CONFLICT from
 * another state. */
MUST_USE bool sweeps_end(struct db *db, const char *id, enum sweep_state state, long long now_us,
                         struct error *err);

/* In the order of the enum, NULL-terminated. */
extern const char *const sweep_state_names[];

/* A zeroed row is fine. */
void sweep_row_clear(struct sweep_row *row);
