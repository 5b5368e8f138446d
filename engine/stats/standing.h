/* The combined result of the runs of one contender: a number, its interval, and the level of the
 * interval. Noise is nested (steps, runs, machines, days), and a narrow interval at one level
 * says nothing about the next, so the result names the widest level with enough data. Pure. */
#pragma once

#include "engine/stats/interval.h"
#include "engine/stats/rank_interval.h"
#include "engine/stats/validity.h"

#include <stdbool.h>
#include <stddef.h>

/* The data of one run. */
struct run_result {
    double value;     /* samples a second */
    double low, high; /* of its own steps; 0 without an interval */
    char vm[17];      /* engine/machine/vm.h */
    long long at_us;
    enum validity validity;
    enum provenance provenance;
    size_t source;    /* its source: engine/stats/sources.h */
    long long number; /* of its row: newer is larger */
};

/* The level of an interval. */
enum standing_level {
    STANDING_NONE,  /* no valid run */
    STANDING_POINT, /* a number without an interval */
    STANDING_STEPS, /* one run */
    STANDING_RUNS,  /* two runs or more on one or two machines */
    STANDING_VMS,   /* three machines or more: valid for the type */
};
extern const char *const standing_level_names[]; /* "none", "point", "steps", "runs", "vms" */

#define STANDING_RUNS_MAX 200  /* the newest valid ones count */
#define STANDING_VALUES_MAX 32 /* kept for forecasts */

struct standing {
    enum standing_level level;
    double value;          /* of all runs (pool.h): for the measured machines, or the type */
    struct range interval; /* 95 %, on a log scale: never reaches 0 */
    double spread;         /* standard deviation / mean at the level; 0 unknown */
    /* Estimated spread between runs of one machine, and between machines of the type: standard
     * deviations of the logarithm (pool.h). The second is 0 with one machine. */
    double run_spread, machine_spread;
    long long runs;      /* counted */
    long long too_short; /* valid, but left out: they have no interval and others do */
    long long warned, imported, invalid;
    long long vms; /* least number of distinct machines of the counted runs */
    double values[STANDING_VALUES_MAX]; /* values at the level, the newest first */
    size_t value_count;
    double machines[STANDING_VALUES_MAX]; /* median of each machine; of all runs if none has a
                                           * name, since they may be of one machine */
    size_t machine_count;
    double noise; /* standard deviation of the logarithm of one value, from its own interval */
    long long first_us, newest_us; /* of the counted runs */
};

/* Machines are counted so that none counts twice. One machine may have been seen by its instance
 * id in one run, by a disk's serial in another and not at all in a third: so the
 * names of each kind are counted, and the largest count is taken; one at least. Runs without a
 * name of that kind may be of any of those machines, and are not used to compare machines.
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
