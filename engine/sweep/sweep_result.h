/* The result of a sweep: a value for each cell, how cells compare, and which of them
 * tie. Pure. */
#pragma once

#include "engine/run/run.h"
#include "engine/stats/compare.h"

#include <stddef.h>

/* Where the time of the measured steps went, as shares of 1: waiting for or making the batch; and
 * forward, backward and update. */
struct time_shares {
    bool known; /* the engine reported it */
    double input, compute;
};

/* One run, as far as it matters here. */
struct sweep_run {
    size_t cell;
    long long block;
    enum run_state state;
    enum validity validity;
    bool is_void;              /* a person took it back */
    struct measure throughput; /* of a finished run */
    struct time_shares shares;
};

struct cell_result {
    int runs, valid, invalid,
        failed;                /* failed: or cancelled, or interrupted or preempted for good */
    int voided;                /* none of the three */
    struct measure throughput; /* median of the valid runs; interval over them */
    bool over_runs;            /* else the interval is that of its only run's steps */
    struct time_shares shares; /* mean of the valid runs whose engine reported it */
    double log_squares;        /* of the runs' logarithms: squared distances from their mean */
    struct ratio to_first, to_previous, to_best; /* by blocks where both have two of them */
    int rank; /* 1 for all that tie with the best; 0 without a value */
};

struct sweep_result {
    struct cell_result *cells; /* owned */
    size_t count;
    size_t best; /* the cell that is surely fast: see below; `count` when none has a value */
};

/* A run that is voided or not valid is counted and not used. False when memory ends.
 *
 * The best cell has the highest lower bound: how far runs of one cell lie from each other is
 * estimated over all cells, so that one lucky run does not beat three. Where no cell has two
 * runs, the intervals of the runs' own steps decide, and without those the values. Cells before
 * `final_from` are best only where no cell from there on has a value: a search measures its
 * candidates again in its last round. 0: all cells are candidates. */
bool sweep_result_compute(const struct sweep_run *runs, size_t run_count, size_t cell_count,
                          size_t final_from, struct sweep_result *ret_result)
    __attribute__((warn_unused_result));

/* A zeroed one is fine. */
void sweep_result_clear(struct sweep_result *result);

/* The same configuration against itself: of the blocks in which both of two equal cells have a
 * valid run, in how many would their own intervals call them different? */
struct false_alarms {
    int pairs, alarms;
    double low, high; /* 95 %, of the rate */
};
struct false_alarms sweep_false_alarms(const struct sweep_run *runs, size_t run_count);
