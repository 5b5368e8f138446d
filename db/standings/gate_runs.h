/* What the CI gate compares: valid finished runs of a contender, on this side and on that. */
#pragma once

#include "common/limits.h"
#include "db/db.h"
#include "engine/run/run.h"
#include "engine/spec/configuration.h"
#include "engine/stats/compare.h"

#include <stddef.h>

/* Sweeps that the gate queues to confirm a failure have keys that begin so, as no client's can.
 * Their runs are on no side of a first look: a failure must not become its own baseline. */
#define GATE_SWEEP_KEY "\tcheck "

/* A run in the gate's eyes: its contender, and the labels that it shares with its repeats. Texts
 * are owned: gate_subject_clear(). */
struct gate_subject {
    long long number, contender;
    struct configuration setup;
    char *workload, *engine, *instance, *provider;
    char *stratum; /* "" where the machine is not known */
    char *labels;  /* of the spec: JSON, sorted, "{}" without any */
};

/* Of a finished run; of others it is ERROR_CONFLICT. */
MUST_USE bool gate_subject_find(struct db *db, long long number, struct gate_subject *ret_subject,
                                struct error *err);

/* A zeroed one is fine. */
void gate_subject_clear(struct gate_subject *subject);

/* One valid run. */
struct gate_run {
    long long number;
    struct run_id id;
    struct measure throughput;
    double dollars;               /* an hour, when it began, discount taken off; 0 unknown */
    char sender[TOKEN_NAME_SIZE]; /* of an imported one; "" where no token has a name */
};

/* Which runs: those that count (db/runs/trust.h), or those that their sender leaves out. */
enum gate_whose { GATE_TRUSTED, GATE_LEFT_OUT };

/* The run itself, if it is valid, and its repeats: valid runs of the same contender with the very
 * same labels. Without labels nothing says that two runs are repeats: then it is alone. Newest
 * first, at most GATE_RUNS_MAX. The run itself counts without a look at its sender: its caller
 * does that.
 */
MUST_USE bool gate_runs_repeats(struct db *db, const struct gate_subject *subject,
                                enum gate_whose whose, struct gate_run ret_runs[GATE_RUNS_MAX],
                                size_t *ret_count, struct error *err);

/* A repeat that does not count. */
struct gate_lost_run {
    struct run_id id;
    char how[16];      /* its state; "invalid" of one that has finished */
    char because[256]; /* why, in words */
};
#define GATE_LOST_MAX 20

/* Trusted runs of the very same spec, labels among it, that ended otherwise than as valid, newest
 * first; of the GATE_LOST_SPAN runs before the subject and after it. Those that were taken back
 * are not among them, and a subject without labels has none. */
#define GATE_LOST_SPAN 1000
MUST_USE bool gate_runs_lost(struct db *db, const struct gate_subject *subject,
                             struct gate_lost_run ret_runs[GATE_LOST_MAX], size_t *ret_count,
                             struct error *err);

/* The newest `limit` runs of the subject's contender that are neither it nor its repeats: those
 * with a label; or, where `key` is NULL, those that are older than the subject. */
struct gate_others {
    const struct gate_subject *subject;
    const char *key, *value;
    long long limit; /* 1..GATE_RUNS_MAX */
    enum gate_whose whose;
};
MUST_USE bool gate_runs_others(struct db *db, const struct gate_others *wanted,
                               struct gate_run ret_runs[GATE_RUNS_MAX], size_t *ret_count,
                               struct error *err);

/* The sweep that a key has made. */
MUST_USE bool gate_sweep_find(struct db *db, const char *key, struct run_id *ret_id,
                              bool *ret_found, struct error *err);
