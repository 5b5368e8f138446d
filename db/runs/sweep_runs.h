/* The runs of a sweep, and which of them are repeated. */
#pragma once

#include "db/runs/sweeps.h"
#include "engine/sweep/sweep_result.h"

#include <stddef.h>

/* A run of a sweep, with its name. */
struct sweep_row_run {
    struct run_id id;
    struct sweep_run run;
    long long seconds;       /* from start to end, rounded up; 0 if it never began */
    long long ended_us;      /* 0 before the end */
    double dollars_per_hour; /* of this machine during the run; 0 if unknown */
};

/* All runs in queue order. The caller frees *ret_runs. */
MUST_USE bool sweeps_runs(struct db *db, long long number, struct sweep_row_run **ret_runs,
                          size_t *ret_count, struct error *err);

struct sweep_repeat {
    const char *instance;
    long long now_us, seconds; /* seconds: left for repeats */
};

/* Requeues the runs that were interrupted or preempted, at most three tries in all per cell and
 * block. */
MUST_USE bool sweeps_requeue(struct db *db, const struct sweep_row *row, const char *instance,
                             long long now_us, struct error *err);

/* If no run of the sweep is queued or running: repeats the first run that finished but is
 * invalid, as long as its cell and block have fewer than three tries and `seconds` suffice for a
 * run of that length. The invalid run stays; the new one's time limit is cut to `seconds`.
 * *ret_queued says whether one was queued. */
MUST_USE bool sweeps_repeat(struct db *db, const struct sweep_row *row,
                            struct sweep_repeat repeat, bool *ret_queued, struct error *err);
