/* Runs put together: one estimate from any number of runs on any number of machines. Three noises
 * are nested: steps within a run, whose error each run knows itself, runs of one machine, and
 * machines of one type. On the scale of logarithms all three are normal:
 *
 *     run of a machine = machine + noise of its steps + noise of runs (spread r)
 *     machine          = type + noise of machines (spread m)
 *
 * How large r and m are is hardly known from few runs, so both have a weak prior (half-t with
 * four degrees of freedom), so wide that the intervals hold for r up to 0.06 and m up to 0.15
 * (tests/engine/stats/pool_test.c). Data replace it as they come in. The estimate is the average
 * over a grid of r and m, weighted by how well each explains the runs: deterministic, without
 * sampling. A run weighs 1 / (error^2 + r^2), so one of nine steps moves nothing next to one of
 * ninety. Pure. */
#pragma once

#include "engine/stats/compare.h"

#include <stdbool.h>
#include <stddef.h>

#define POOL_RUN_SPREAD 0.03    /* scale of the prior of r, of logarithms */
#define POOL_MACHINE_SPREAD 0.1 /* of m */
#define POOL_DEGREES 4          /* of both priors */

struct pool_run {
    double value;   /* logarithm */
    double error;   /* standard error of its own steps, of the logarithm */
    double stretch; /* how much higher an idle machine may be (compare_stretch()): not noise, so
                     * it never averages out; a larger one lowers the run's weight */
    size_t machine; /* from 0, without gaps */
};

/* A run of machine 0 with this value and the interval of its own steps. Without an interval its
 * error is 0: then only the spread between runs counts. */
struct pool_run pool_run_of(const struct measure *measure);

/* The estimated quantity: the mean of the measured machines, or of their type. */
enum pool_target { POOL_SEEN, POOL_TYPE };

/* Logarithms. */
struct pool_estimate {
    double value;
    double low, high;                  /* 95 %, the stretch included */
    double run_spread, machine_spread; /* posterior means of r and m */
};

/* `count` is 1 or more. If a machine has three runs or more, outliers are pulled towards its
 * median, so that one stray run never makes the others useless. */
struct pool_estimate pool_runs(const struct pool_run *runs, size_t count,
                               enum pool_target target);
