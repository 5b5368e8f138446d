/* Synthetic traces with fixed seeds: what a run's steps would be if we knew the truth. */
#pragma once

#include "engine/stats/stats.h"

#include <math.h>

#define STEP_NS 50e6

static inline double uniform(struct chance *chance)
{
    return ((double)(chance_next(chance) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double normal(struct chance *chance)
{
    return sqrt(-2 * log(uniform(chance))) * cos(6.283185307179586 * uniform(chance));
}

static inline struct chance seeded(long long seed)
{
    struct chance chance = {(uint64_t)seed};

    /* Mixed, or the streams of neighbouring seeds would be the same one, shifted. */
    chance.state = chance_next(&chance);
    return chance;
}

/* Steady steps around STEP_NS: first-order autoregressive with lag 1 `rho`, relative standard
 * deviation `cov`. */
static inline void trace_steady(struct chance *chance, double rho, double cov, long long *steps,
                                size_t count)
{
    double state = normal(chance);

    for (size_t i = 0; i < count; i++) {
        steps[i] = (long long)(STEP_NS * (1 + cov * state));
        state = rho * state + sqrt(1 - rho * rho) * normal(chance);
    }
}

/* Makes the first steps slower: by `much` of a step at first, decaying over `decay` steps. */
static inline void trace_warm_up(long long *steps, size_t count, double much, double decay)
{
    for (size_t i = 0; i < count; i++)
        steps[i] += (long long)(STEP_NS * much * exp(-(double)i / decay));
}

/* Values of runs of a machine whose runs scatter by `cov`. */
static inline void runs_of(struct chance *chance, double truth, double cov, double *values,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = truth * (1 + cov * normal(chance));
}
