/* The runs of a sweep, and which of them are queued once more. */
#pragma once

#include "db/runs/sweeps.h"
#include "engine/sweep/sweep_result.h"

#include <stddef.h>

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
MUST_USE bool sweeps_runs(struct db *db, long long number, struct sweep_row_run **ret_runs,
                          size_t *ret_count, struct error *err);

struct sweep_repeat {
    const char *instance;
    long long now_us, seconds; /* seconds: that are left for repeating */
};

/* Queues the runs again that were interrupted or preempted, at most three times in all for each
 * cell and block. */
MUST_USE bool sweeps_requeue(struct db *db, const struct sweep_row *row, const char *instance,
                             long long now_us, struct error *err);

/* Where nothing of the sweep is queued or running: queues one run again that finished but is
 * invalid, the first there is, as long as its cell and block have been tried less than three
 * times in all and `seconds` are enough for as long as that run took. The invalid run stays as it
 * is; the new one's limit of time is cut to `seconds`. *ret_queued says whether one was queued.
 */
MUST_USE bool sweeps_repeat(struct db *db, const struct sweep_row *row,
                            struct sweep_repeat repeat, bool *ret_queued, struct error *err);
