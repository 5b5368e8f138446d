/* The result of a sweep: a value for each cell, how cells compare, and the ranks that each may
 * have. Pure. */
#pragma once

#include "engine/run/run.h"
#include "engine/stats/compare.h"
#include "engine/stats/rank_interval.h"

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
    size_t group; /* only cells of one group are compared: those of one workload */
    int runs, valid, invalid,
        failed;                /* failed: or cancelled, or interrupted or preempted for good */
    int voided;                /* none of the three */
    struct measure throughput; /* median of the valid runs; interval over them */
    bool over_runs;            /* else the interval is that of its only run's steps */
    struct time_shares shares; /* mean of the valid runs whose engine reported it */
    double stretch; /* how much faster they may be undisturbed: the mean of compare_stretch() */
    double log_squares; /* of the runs' logarithms: squared distances from their mean */
    struct ratio to_first, to_previous, to_best; /* by blocks where both have two of them */
    struct rank_interval rank;                   /* zeroed without a value */
    size_t rank_row;                             /* its place in `intervals` */
};

struct sweep_result {
    struct cell_result *cells; /* owned */
    size_t count;
    size_t best; /* the cell that is surely fast: see below; `count` when none has a value, when
                  * one alone of several that ran has, and where there are several groups, of
                  * which each has its own */
    struct rank_intervals *intervals; /* owned, for each group: of its cells with a value */
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
 * `groups` has the group of each cell, numbered from 0; NULL: all are of one. First, previous and
 * best of a cell, and its rank, are those of its group. */
void sweep_result_compute(const struct sweep_run *runs, size_t run_count, size_t cell_count,
                          size_t final_from, const size_t *groups,
                          struct sweep_result *ret_result);

/* Whether a cell is surely faster or slower than another, with 95 % over all pairs together; tied
 * where one has no value, or is of another group. Agrees with the ranks: the cells with which one
 * is tied are as many as its interval has further ranks. */
enum comparison sweep_verdict(const struct sweep_result *result, size_t left, size_t right);

/* A zeroed one is fine. */
void sweep_result_clear(struct sweep_result *result);

/* The same configuration against itself: of the blocks in which both of two equal cells have a
 * valid run, in how many would their own intervals call them different? */
struct false_alarms {
    int pairs, alarms;
    double low, high; /* 95 %, of the rate */
};
struct false_alarms sweep_false_alarms(const struct sweep_run *runs, size_t run_count);
