/* Runs for the CI gate: valid finished runs of a contender, for both sides. */
#pragma once

#include "common/limits.h"
#include "db/db.h"
#include "engine/run/run.h"
#include "engine/spec/configuration.h"
#include "engine/stats/compare.h"

#include <stddef.h>

/* Key prefix of sweeps that the gate queues to confirm a failure; no client can use it. Their
 * runs are on no side of a first look: a failure must not become its own baseline. */
#define GATE_SWEEP_KEY "\tcheck "

/* The run under test, and its contender. Texts are owned: gate_subject_clear(). */
struct gate_subject {
    long long number, contender;
    struct configuration setup;
    char *workload, *engine, *instance, *provider;
    char *stratum; /* "" if the machine is unknown */
};

/* For a finished run; ERROR_CONFLICT for others. */
MUST_USE bool gate_subject_find(struct db *db, long long number, struct gate_subject *ret_subject,
                                struct error *err);

/* A zeroed one is fine. */
void gate_subject_clear(struct gate_subject *subject);

/* One valid run. */
struct gate_run {
    long long number;
    struct run_id id;
    struct measure throughput;
    double dollars;               /* an hour, at its start, discount taken off; 0 unknown */
    char sender[TOKEN_NAME_SIZE]; /* of an imported run; "" without a token name */
};

/* Which runs: runs of trusted senders (db/runs/trust.h), or of the others. */
enum gate_whose { GATE_TRUSTED, GATE_LEFT_OUT };

/* The run itself, if valid, and its repeats: valid runs of the same contender with exactly the
 * same labels. Without labels nothing marks repeats: then the run is alone. Newest first, at most
 * GATE_RUNS_MAX. The run's own sender is not checked: the caller does that. */
MUST_USE bool gate_runs_repeats(struct db *db, const struct gate_subject *subject,
                                enum gate_whose whose, struct gate_run ret_runs[GATE_RUNS_MAX],
                                size_t *ret_count, struct error *err);

/* A repeat that is not valid. */
struct gate_lost_run {
    struct run_id id;
    char how[16];      /* its state; "invalid" for a finished run */
    char because[256]; /* why, in words */
};
#define GATE_LOST_MAX 20

/* Trusted runs of exactly the same spec and labels that did not end as valid, newest first, among
 * the GATE_LOST_SPAN runs before and after the subject. Voided runs are left out; a subject
 * without labels has none. */
#define GATE_LOST_SPAN 1000
MUST_USE bool gate_runs_lost(struct db *db, const struct gate_subject *subject,
                             struct gate_lost_run ret_runs[GATE_LOST_MAX], size_t *ret_count,
                             struct error *err);

/* The newest `limit` runs of the subject's contender, without the subject and its repeats: runs
 * with a label; or, if `key` is NULL, runs older than the subject. */
struct gate_others {
    const struct gate_subject *subject;
    const char *key, *value;
    long long limit; /* 1..GATE_RUNS_MAX */
    enum gate_whose whose;
};
MUST_USE bool gate_runs_others(struct db *db, const struct gate_others *wanted,
                               struct gate_run ret_runs[GATE_RUNS_MAX], size_t *ret_count,
                               struct error *err);

/* The sweep with a key. */
MUST_USE bool gate_sweep_find(struct db *db, const char *key, struct run_id *ret_id,
                              bool *ret_found, struct error *err);
