/* Collects the steps and the evidence of a run and stores them in batches, about once a second
 * (more often in haste, common/haste.h), so that storing disturbs the measurement little. */
#pragma once

#include "db/db.h"
#include "engine/run/run.h"
#include "engine/trace/evidence.h"
#include "engine/trace/steps.h"

#include <sys/types.h>

struct recorder {
    struct db *db;
    struct run *run;                  /* ->steps counts what is stored */
    struct steps pending;             /* not stored yet */
    struct evidence evidence;         /* not stored yet */
    long long observations, readings; /* stored ones */
    bool blocked; /* another process had locked the database at the last try */
    long long flushed_ns, observed_ns;
    pid_t worker;
    long long started_ns;
};

/* Starts to observe the worker, and makes the first observation. */
void recorder_start(struct recorder *recorder, pid_t worker, long long now_ns);

/* Records a step; observes the worker after its first one. */
MUST_USE bool recorder_step(struct recorder *recorder, const struct step *step, long long now_ns,
                            struct error *err);
void recorder_add_reading(struct recorder *recorder, const struct canary *canary);

/* Observes and stores if either is due. If another process has locked the database, that is not a
 * failure: a later call stores what is pending. */
MUST_USE bool recorder_tend(struct recorder *recorder, long long now_ns, struct error *err);

/* When recorder_tend() is due. */
long long recorder_due(const struct recorder *recorder);

/* Makes the last observation: call it after the last step, before the worker exits. */
void recorder_look(struct recorder *recorder, long long now_ns);

/* Stores everything that is pending. ERROR_BUSY: the rest stays pending for a later call. Waits
 * only briefly, because the worker is stopped meanwhile. */
MUST_USE bool recorder_flush(struct recorder *recorder, long long now_ns, struct error *err);

/* Accepts a zeroed recorder. */
void recorder_free(struct recorder *recorder);
