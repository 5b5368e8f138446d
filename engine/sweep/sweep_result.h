/* What the runs of a sweep come to: a value for each cell, how cells compare, and which of them
 * tie. Pure. */
#pragma once

#include "engine/run/run.h"
#include "engine/stats/compare.h"

#include <stddef.h>

/* One run, as far as it matters here. */
struct sweep_run {
    size_t cell;
    long long block;
    enum run_state state;
    enum validity validity;
    struct measure throughput; /* of a finished run */
};

struct cell_result {
    int runs, valid, invalid,
        failed;                /* failed: or cancelled, or interrupted or preempted for good */
    struct measure throughput; /* median of the valid runs; interval over them */
    bool over_runs;            /* else the interval is that of its only run's steps */
    struct ratio to_first, to_previous, to_best; /* by blocks where both have two of them */
    int rank; /* 1 for all that tie with the best; 0 without a value */
};

struct sweep_result {
    struct cell_result *cells; /* owned */
    size_t count;
    size_t best; /* the cell with the highest value; `count` when none has any */
};

/* A run that is not valid is counted and not used. False when memory ends. */
bool sweep_result_compute(const struct sweep_run *runs, size_t run_count, size_t cell_count,
                          struct sweep_result *ret_result) __attribute__((warn_unused_result));

/* A zeroed one is fine. */
void sweep_result_clear(struct sweep_result *result);

/* The same configuration against itself: of the blocks in which both of two equal cells have a
 * valid run, in how many would their own intervals call them different? */
struct false_alarms {
    int pairs, alarms;
    double low, high; /* 95 %, of the rate */
};
struct false_alarms sweep_false_alarms(const struct sweep_run *runs, size_t run_count);
