/* Runs of known truth: a trace that begins in one of many shapes and ends at STEP_NS, in noise of
 * shared machines, measured as the product does: the pace says when to stop, the summary whether
 * the number may be ranked. */
#pragma once

#include "engine/run/pace.h"
#include "engine/stats/summary.h"
#include "tests/engine/trace/traces.h"
#include "tests/test.h"

enum kind { FLAT, PLATEAU, EXPONENTIAL, RAMP, STEP_UP, PASSING };

/* Lengths are shares of the steps that the run would have without going on. */
struct disturbance {
    const char *name;
    enum kind kind;
    double length, factor; /* of the time of a step, at first or meanwhile */
};

/* How a run of one shape, one noise and one length came out, over many seeds. */
struct outcome {
    int runs, at_once, invalid; /* stopped at its first chance; not to be ranked in the end */
    int wrong;                  /* ranked, and off by more than 2 % and twice the noise */
    int covered;                /* ranked, and the truth within the interval */
    double length;              /* sum of: steps, of those that were planned */
};

static const struct disturbance disturbances[] = {
    {"flat", FLAT, 0, 1},
    {"plateau", PLATEAU, 0.05, 1.05},
    {"plateau", PLATEAU, 0.05, 1.2},
    {"plateau", PLATEAU, 0.05, 3},
    {"plateau", PLATEAU, 0.1, 1.05},
    {"plateau", PLATEAU, 0.1, 1.2},
    {"plateau", PLATEAU, 0.1, 3},
    {"plateau", PLATEAU, 0.2, 1.05},
    {"plateau", PLATEAU, 0.2, 1.2},
    {"plateau", PLATEAU, 0.2, 3},
    {"plateau", PLATEAU, 0.3, 1.05},
    {"plateau", PLATEAU, 0.3, 1.2},
    {"plateau", PLATEAU, 0.3, 3},
    {"plateau", PLATEAU, 0.5, 1.05},
    {"plateau", PLATEAU, 0.5, 1.2},
    {"plateau", PLATEAU, 0.5, 3},
    {"plateau", PLATEAU, 0.6, 1.05},
    {"plateau", PLATEAU, 0.6, 1.2},
    {"plateau", PLATEAU, 0.75, 1.2},
    {"plateau", PLATEAU, 0.75, 3},
    {"exponential", EXPONENTIAL, 0.03, 1.2},
    {"exponential", EXPONENTIAL, 0.03, 3},
    {"exponential", EXPONENTIAL, 0.1, 1.2},
    {"exponential", EXPONENTIAL, 0.1, 3},
    {"exponential", EXPONENTIAL, 0.2, 1.2},
    {"exponential", EXPONENTIAL, 0.2, 3},
    {"ramp", RAMP, 0.3, 1.1},
    {"ramp", RAMP, 0.3, 1.5},
    {"ramp", RAMP, 1, 1.1},
    {"ramp", RAMP, 1, 1.5},
    {"step up", STEP_UP, 0.1, 1.05},
    {"step up", STEP_UP, 0.1, 1.2},
    {"step up", STEP_UP, 0.3, 1.05},
    {"step up", STEP_UP, 0.3, 1.2},
    {"step up", STEP_UP, 0.5, 1.05},
    {"step up", STEP_UP, 0.5, 1.2},
    {"step up", STEP_UP, 0.7, 1.2},
    {"passing", PASSING, 0.3, 1.2},
    {"passing", PASSING, 0.7, 1.2},
};

/* Lag 1 and relative standard deviation: a quiet machine, what shared ones have shown, and worse
 * than those. */
static const struct {
    double lag1, deviation;
} noises[] = {{0, 0.01}, {0.5, 0.016}, {0.7, 0.03}, {0.85, 0.03}};

static const size_t lengths[] = {60, 100, 240, 400};

#define GO_ON_MOST 4 /* times the planned time, at which the run is out of time */
#define STEADINESS_STEPS_MAX (GO_ON_MOST * 400)

static inline double level_at(const struct disturbance *what, double at)
{
    switch (what->kind) {
    case PLATEAU:
        return at < what->length ? what->factor : 1;
    case EXPONENTIAL:
        return 1 + (what->factor - 1) * exp(-at / what->length);
    case RAMP:
        return at < what->length ? 1 + (what->factor - 1) * (1 - at / what->length) : 1;
    case STEP_UP: /* quicker at first */
        return at < what->length ? 1 / what->factor : 1;
    case PASSING:
        return at >= what->length && at < what->length + 0.15 ? what->factor : 1;
    case FLAT:
        break;
    }
    return 1;
}

static inline void run_once(const struct disturbance *what, size_t noise, size_t planned,
                            long long seed, struct outcome *outcome)
{
    static long long steps[STEADINESS_STEPS_MAX];
    struct chance chance = seeded(seed);
    struct run_spec spec = run_spec_default();
    struct summary_rules rules = {FIELD_IS_AUTO, FIELD_IS_AUTO, 1, 0, "steadiness"};
    AUTO(pace_free) struct pace pace = {0};
    AUTO(steps_free) struct steps taken = {0};
    struct summary summary;
    double sigma = noises[noise].deviation, lag1 = noises[noise].lag1, off;
    size_t most = GO_ON_MOST * planned, count = 0;

    trace_steady(&chance, lag1, sigma, steps, most);
    for (size_t i = 0; i < most; i++)
        steps[i] = (long long)((double)steps[i] * level_at(what, (double)i / (double)planned));
    steps[0] += (long long)(0.6 * STEP_NS);
    spec.target_percent = 2;
    spec.max_seconds = 86400;
    pace_start(&pace, &spec, 0);
    pace.min_ns = 0;
    while (count < planned || (count < most && pace_judge(&pace, 0) == PACE_GO_ON)) {
        pace_step(&pace, steps[count]);
        steps_add(&taken, (struct step){.nanoseconds = steps[count++], .loss = 1});
    }
    EXPECT(summary_compute(&taken, &rules, &summary, NULL));
    outcome->runs++;
    outcome->at_once += count == planned;
    outcome->length += (double)count / (double)planned;
    if (!summary.steady) {
        outcome->invalid++;
        return;
    }
    off = fabs(1e9 / summary.samples_per_second / STEP_NS - 1);
    outcome->wrong += off > 0.02 + 2 * sigma * sqrt((1 + lag1) / (1 - lag1) / (double)count);
    outcome->covered += summary.throughput.known && summary.throughput.low <= 1e9 / STEP_NS &&
                        1e9 / STEP_NS <= summary.throughput.high;
}

static inline struct outcome run_many(const struct disturbance *what, size_t noise,
                                      size_t planned, int runs)
{
    struct outcome outcome = {0};
    /* Other noise for each row, or a lucky seed would be lucky for all of them. */
    long long row = (what - disturbances) * 1000 + (long long)noise * 7 + (long long)planned;

    for (int seed = 1; seed <= runs; seed++)
        run_once(what, noise, planned, row * 1000000 + seed, &outcome);
    return outcome;
}
