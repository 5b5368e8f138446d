/* The result of many runs of one contender: a number, its interval, and what the interval is
 * over. Four noises are nested (steps, runs, machines, days), and a tight interval over one says
 * nothing about the next, so the result names the widest level that has enough data. Pure. */
#pragma once

#include "engine/stats/interval.h"
#include "engine/stats/rank_interval.h"
#include "engine/stats/validity.h"

#include <stdbool.h>
#include <stddef.h>

/* What a standing needs of a run. */
struct run_result {
    double value;     /* samples a second */
    double low, high; /* of its own steps; 0 where it has no interval */
    char vm[17];      /* engine/machine/vm.h */
    long long at_us;
    enum validity validity;
    enum provenance provenance;
    size_t source;    /* whose it is: engine/stats/sources.h */
    long long number; /* of its row: the newer, the larger */
};

/* What an interval is over. */
enum standing_level {
    STANDING_NONE,  /* nothing to rank by: no valid run */
    STANDING_POINT, /* a number without an interval */
    STANDING_STEPS, /* one run */
    STANDING_RUNS,  /* two runs or more on one or two machines */
    STANDING_VMS,   /* three machines or more: may be generalised to the type */
};
extern const char *const standing_level_names[]; /* "none", "point", "steps", "runs", "vms" */

#define STANDING_RUNS_MAX 200  /* the newest valid ones count */
#define STANDING_VALUES_MAX 32 /* kept for drawing from */

struct standing {
    enum standing_level level;
    double value;          /* of all runs together (pool.h): of the machines seen, or the type */
    struct range interval; /* 95 %, on the scale of logarithms: it never reaches 0 */
    double spread;         /* standard deviation / mean of what the level says; 0 unknown */
    /* About how far runs of one machine, and machines of the type, lie from each other: standard
     * deviations of the logarithm (pool.h). The second is 0 where one machine was seen. */
    double run_spread, machine_spread;
    long long runs;      /* that count here */
    long long too_short; /* valid ones without an interval that stand aside for those with one */
    long long warned, imported, invalid;
    long long vms; /* machines that are surely there among those that count */
    double values[STANDING_VALUES_MAX]; /* what the level is made of, the newest first */
    size_t value_count;
    double machines[STANDING_VALUES_MAX]; /* median of each machine; of all runs where none has a
                                             name, for they may be of one */
    size_t machine_count;
    double noise; /* standard deviation of the logarithm of one value, from its own interval */
    long long first_us, newest_us; /* of those that count */
};

/* Machines are counted so that none counts twice. One machine may have been seen by its instance
 * id in one run, by a disk's serial in another and not at all in a third: so there are as many
 * machines as the kind of name has of which there are most, and one at least. Runs without a name
 * of that kind may be of any of those machines, and take no part where machines are compared.
 *
 * `results`: the newest first. Invalid runs, and those never judged, are counted and left out.
 * So are runs without an interval where others have one: five steps of one machine never move
 * what a hundred steps of others say. They count where most of the machines have nothing else:
 * one longer run never hides the other machines. */
void standing_compute(const struct run_result *results, size_t count,
                      struct standing *ret_standing);

/* The interval for a comparison with another type: where fewer than three machines were seen, as
 * if machines of a type differed by `vm_spread` (standard deviation / mean). Not known for a
 * point.
 */
struct range standing_between(const struct standing *standing, double vm_spread);

/* The same as a row to rank by its throughput (rank_interval.h): only where standing_between() is
 * known. The spread of machines is taken as known where fewer than three were seen. A caller that
 * ranks by samples per dollar subtracts the logarithm of the price from `estimate`, and adds the
 * error of the price to `error` by hypot(), and to `shared_error`, with one `shares` for all rows
 * that have this price. */
struct rank_row standing_rank_row(const struct standing *standing, double vm_spread);
