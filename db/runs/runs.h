/* Runs as rows. Every change of a run's state is one function here, allowed only from the states
 * it names. Clear returned structs with run_clear(). */
#pragma once

#include "db/db.h"
#include "engine/run/run.h"

/* What a new run needs in addition to its spec. */
struct run_order {
    const struct run_spec *spec;
    const char *idempotency_key; /* or NULL */
    const char *instance;        /* this machine's type; "" or NULL unknown */
    long long now_us;
    long long queue_limit;
    /* May refuse a new run, or is NULL. If it returns false, runs_create() returns false and
     * leaves *err unset. */
    bool (*may)(void *user, long long runs);
    void *user;
    long long sweep, cell, block; /* place in a sweep; sweep is 0 outside one */
};

/* Queues a run, durably. The same key with the same spec returns the existing run and sets
 * *ret_replayed; with another spec it is ERROR_MISMATCH. A full queue is ERROR_FULL. */
MUST_USE bool runs_create(struct db *db, const struct run_order *order, struct run *ret_run,
                          bool *ret_replayed, struct error *err);

/* Queues a run in the caller's transaction; the caller has checked the queue limit. */
MUST_USE bool runs_add(struct db *db, const struct run_order *order, struct run_id *ret_id,
                       struct error *err);

/* ERROR_FULL if `more` runs would exceed the queue limit. */
MUST_USE bool runs_check_room(struct db *db, long long more, long long limit, struct error *err);

MUST_USE bool runs_find(struct db *db, const char *id, struct run *ret_run, struct error *err);

/* Stores the spec of a running run after its batch was chosen. */
MUST_USE bool runs_settle_spec(struct db *db, const struct run *run, struct error *err);

/* The batch of the latest other run of the same sweep cell, so that all use one; half of it if
 * that run was invalid because of too few steps. 0 outside a sweep, and for the first run of a
 * cell. */
MUST_USE bool runs_batch_of_cell(struct db *db, const struct run *run, long long *ret_batch,
                                 struct error *err);

/* queued -> running: the oldest one, on the machine of this number (db/runs/machines.h).
 * *ret_found is false if the queue is empty. */
MUST_USE bool runs_claim(struct db *db, long long now_us, long long machine, struct run *ret_run,
                         bool *ret_found, struct error *err);

/* running -> `run->state`, durably, with everything that the worker reported. ERROR_CONFLICT from
 * any other state. */
MUST_USE bool runs_end(struct db *db, const struct run *run, struct error *err);

/* The implementations that an ended run reported: text as in engine/protocol/implementations.h,
 * freed by the caller, or NULL. Only this function loads it. */
MUST_USE bool runs_implementations(struct db *db, const char *id, char **ret_text,
                                   struct error *err);

/* queued -> cancelled. *ret_run is the run as it is now; if it is still "running", the caller
 * must stop its worker. An ended run is ERROR_CONFLICT. */
MUST_USE bool runs_cancel(struct db *db, const char *id, long long now_us, struct run *ret_run,
                          struct error *err);

/* The oldest run marked as running that no worker runs, because the server was killed. */
MUST_USE bool runs_orphan(struct db *db, struct run *ret_run, bool *ret_found, struct error *err);

MUST_USE bool runs_count(struct db *db, long long ret_counts[RUN_STATES], struct error *err);
