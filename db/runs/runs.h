/* Runs as rows. Every change of a run's state is one function here, and each is lawful only from
 * the states it names. Structs that come out are cleared with run_clear(). */
#pragma once

#include "db/db.h"
#include "engine/run/run.h"

/* What a new run needs besides its spec. */
struct run_order {
    const struct run_spec *spec;
    const char *idempotency_key; /* or NULL */
    const char *instance;        /* this machine's type; "" or NULL unknown */
    long long now_us;
    long long queue_limit;
    /* NULL, or whether a run that is new may be queued; false is no error of runs_create(), which
     * then returns false and leaves *err alone. */
    bool (*may)(void *user, long long runs);
    void *user;
    long long sweep, cell, block; /* of a run that belongs to a sweep; sweep is 0 of the others */
};

/* Queues a run, durably. The same key with the same spec answers the run it made before and sets
 * *ret_replayed; with another spec that is ERROR_MISMATCH. A full queue is ERROR_FULL. */
MUST_USE bool runs_create(struct db *db, const struct run_order *order, struct run *ret_run,
                          bool *ret_replayed, struct error *err);

/* Queues a run within a transaction of the caller's, who has looked whether there is room. */
MUST_USE bool runs_add(struct db *db, const struct run_order *order, struct run_id *ret_id,
                       struct error *err);

/* ERROR_FULL when `more` runs would be more than the queue takes. */
MUST_USE bool runs_check_room(struct db *db, long long more, long long limit, struct error *err);

MUST_USE bool runs_find(struct db *db, const char *id, struct run *ret_run, struct error *err);

/* Stores the spec of a running run, whose batch is chosen now. */
MUST_USE bool runs_settle_spec(struct db *db, const struct run *run, struct error *err);

/* The batch of the latest other run of the same cell of its sweep, so that all have one; half of
 * it where that run was invalid and counted too few steps. 0 where the run is of no sweep, or is
 * its cell's first. */
MUST_USE bool runs_batch_of_cell(struct db *db, const struct run *run, long long *ret_batch,
                                 struct error *err);

/* queued -> running: the oldest one, on the machine of this number (db/runs/machines.h).
 * *ret_found is false when there is none. */
MUST_USE bool runs_claim(struct db *db, long long now_us, long long machine, struct run *ret_run,
                         bool *ret_found, struct error *err);

/* running -> `run->state`, durably, with everything that the worker reported. From any other
 * state it is ERROR_CONFLICT. */
MUST_USE bool runs_end(struct db *db, const struct run *run, struct error *err);

/* What a run that has ended said of its implementations: text as
 * engine/protocol/implementations.h has it, freed by the caller, or NULL where it said nothing.
 * No other function here loads it. */
MUST_USE bool runs_implementations(struct db *db, const char *id, char **ret_text,
                                   struct error *err);

/* queued -> cancelled. *ret_run is the run as it is now; the caller looks at its state:
 * still "running" means that its worker has to be stopped. A final one is ERROR_CONFLICT. */
MUST_USE bool runs_cancel(struct db *db, const char *id, long long now_us, struct run *ret_run,
                          struct error *err);

/* The oldest run that is marked running although no worker runs it: the server was killed. */
MUST_USE bool runs_orphan(struct db *db, struct run *ret_run, bool *ret_found, struct error *err);

MUST_USE bool runs_count(struct db *db, long long ret_counts[RUN_STATES], struct error *err);
