/* The result of a sweep: a value per cell, comparisons of cells, and their rank intervals.
 * Pure. */
#pragma once

#include "engine/run/run.h"
#include "engine/stats/compare.h"
#include "engine/stats/rank_interval.h"

#include <stddef.h>

/* Shares of the time of the measured steps: input (waiting for or making the batch), forward,
 * backward and update. */
struct time_shares {
    bool known; /* the engine reported it */
    double input, compute;
};

/* The data of one run. */
struct sweep_run {
    size_t cell;
    long long block;
    enum run_state state;
    enum validity validity;
    bool is_void;              /* voided by a person */
    struct measure throughput; /* of a finished run */
    struct time_shares shares;
};

struct cell_result {
    size_t group; /* cells are compared only within a group (one workload) */
    int runs, valid, invalid,
        failed;                /* failed: or cancelled, or interrupted or preempted for good */
    int voided;                /* none of the three */
    struct measure throughput; /* median of the valid runs; interval over them */
    bool over_runs;            /* else the interval is from the steps of its only run */
    struct time_shares shares; /* mean of the valid runs with reported times */
    double stretch; /* how much faster undisturbed runs may be: the mean of compare_stretch() */
    double log_squares; /* sum of squared deviations of the runs' logarithms */
    struct ratio to_first, to_previous, to_best; /* by blocks, if they share two */
    struct rank_interval rank;                   /* zeroed if the cell has no value */
    size_t rank_row;                             /* its place in `intervals` */
};

struct sweep_result {
    struct cell_result *cells; /* owned */
    size_t count;
    size_t best; /* the cell that is surely fast: see below; `count` when no cell has a value,
                  * when several ran and only one has, and where there are several groups: each
                  * has its own */
    struct rank_intervals *intervals; /* owned, one per group: its cells with a value */
    size_t group_count;
};

/* A run that is voided or not valid is counted and not used.
 *
 * The best cell has the highest lower bound: how far runs of one cell lie from each other is
 * estimated over all cells of its group, so that one lucky run does not beat three. Where no cell
 * has two runs, the intervals of the runs' own steps decide, and without those the values. Cells
 * before `final_from` are best only where no cell from there on has a value: a search measures
 * its candidates again in its last round. 0: all cells are candidates.
 *
 * `groups` has the group of each cell, numbered from 0; NULL: all are in one. First, previous,
 * best and rank of a cell are within its group. */
void sweep_result_compute(const struct sweep_run *runs, size_t run_count, size_t cell_count,
                          size_t final_from, const size_t *groups,
                          struct sweep_result *ret_result);

/* Whether a cell is surely faster or slower than another, with 95 % over all pairs together; tied
 * if one has no value, or is in another group. Agrees with the ranks: a cell is tied with as many
 * others as its interval has further ranks. */
enum comparison sweep_verdict(const struct sweep_result *result, size_t left, size_t right);

/* A zeroed one is fine. */
void sweep_result_clear(struct sweep_result *result);

/* A/A test: in how many of the blocks with a valid run of both equal cells would their own
 * intervals call them different? */
struct false_alarms {
    int pairs, alarms;
    double low, high; /* 95 %, of the rate */
};
struct false_alarms sweep_false_alarms(const struct sweep_run *runs, size_t run_count);
