/* Keeps what a run leaves behind, its steps and the evidence beside them, and stores it in
 * batches: about once a second, so that a run costs the machine it measures as little as can be.
 */
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
    struct evidence evidence;         /* nor this */
    long long observations, readings; /* stored ones */
    long long flushed_ns, observed_ns;
    pid_t worker;
    long long started_ns;
};

/* From now on the worker is watched; looks at it for the first time. */
bool recorder_start(struct recorder *recorder, pid_t worker, long long now_ns, struct error *err)
    __attribute__((warn_unused_result));

/* Looks at the worker when its first step is done. */
bool recorder_step(struct recorder *recorder, const struct step *step, long long now_ns,
                   struct error *err) __attribute__((warn_unused_result));
bool recorder_add_reading(struct recorder *recorder, const struct canary *canary,
                          struct error *err) __attribute__((warn_unused_result));

/* Looks and stores if it is time. */
bool recorder_tend(struct recorder *recorder, long long now_ns, struct error *err)
    __attribute__((warn_unused_result));

/* When recorder_tend() will have something to do. */
long long recorder_due(const struct recorder *recorder);

/* Looks at the worker once more: call it while it is there, when its last step is done. */
bool recorder_look(struct recorder *recorder, long long now_ns, struct error *err)
    __attribute__((warn_unused_result));

/* Stores what is left. */
bool recorder_flush(struct recorder *recorder, long long now_ns, struct error *err)
    __attribute__((warn_unused_result));

/* A zeroed recorder is fine. */
void recorder_free(struct recorder *recorder);
