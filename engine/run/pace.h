/* When a run ends, and its progress. Pure arithmetic over the steps so far, with the functions of
 * the final summary. */
#pragma once

#include "engine/spec/run_spec.h"
#include "engine/stats/warmup.h"

enum pace_verdict {
    PACE_GO_ON,
    PACE_ALL_STEPS,  /* the spec's number of steps is reached */
    PACE_TARGET,     /* "auto": the interval is as narrow as requested */
    PACE_TIME_UP,    /* max_seconds have passed */
    PACE_DOLLARS_UP, /* max_dollars is spent */
    /* "auto", if pace.stops_for_little is set: the target cannot be reached in the time and money
     * left, and using all of it would hardly narrow the interval. Never before the minimum for
     * "target": 30 steps, min_seconds and a settled cut. */
    PACE_LITTLE_MORE,
};

/* "Hardly": the interval keeps this share of its width. Its width falls with the square root of
 * the steps, so the run ends after 0.8 * 0.8 of its measuring time. */
#define PACE_HARDLY_NARROWER 0.8

struct pace {
    long long warmup_wanted, wanted; /* steps, or FIELD_IS_AUTO */
    long long batch_size, min_ns, max_ns;
    double target_percent, max_dollars, dollars_per_ns; /* the last two are 0 if unknown */
    bool stops_for_little;  /* set by the caller after pace_start(): see PACE_LITTLE_MORE */
    long long *nanoseconds; /* owned: of every step */
    size_t steps, size;     /* seen, warm-up included */
    long long total_ns;
    size_t looked_at;     /* number of steps at the last computation, every fifth step */
    bool end_seen;        /* that computation found the target reached */
    struct warmup warmup; /* so far: its end may move */
    long long warmup_ns;
    size_t interval_steps;     /* measured steps of that interval */
    double half_width_percent; /* 0: unknown yet */
};

/* Progress, for clients that watch the run. */
struct progress {
    long long steps_done, steps_planned; /* planned: an estimate while steps is "auto" */
    const char *phase; /* "sizing" while the batch is chosen, "warm_up", then "measuring" */
    double samples_per_second;   /* so far; 0 before the first step */
    double half_width_percent;   /* of the 95 % interval; 0 if none yet */
    double rough_percent;        /* from five steps on, until there is an interval: a rough guess,
                                  * 0.1 at least; otherwise 0 */
    double within_reach_percent; /* half_width_percent if all time and money is used; 0 while that
                                  * is 0 */
    double dollars;              /* spent so far; 0 if the price is unknown */
    double elapsed_seconds, seconds_left;
};

/* `dollars_per_hour` of this machine, 0 unknown. */
void pace_start(struct pace *pace, const struct run_spec *spec, double dollars_per_hour);

/* Subtracts time and money spent before the worker started; leaves at least a second. */
void pace_shorten(struct pace *pace, long long spent_ns);

/* The most step events the spec allows. */
long long pace_steps_max(const struct run_spec *spec);

void pace_step(struct pace *pace, long long nanoseconds);

/* `elapsed_ns` since the worker's start. */
enum pace_verdict pace_judge(const struct pace *pace, long long elapsed_ns);
struct progress pace_progress(const struct pace *pace, long long elapsed_ns);

/* The half-width expected after `more` seconds of measuring, if `seconds` gave `half_width`: it
 * falls with the square root of the time. */
double pace_within_reach(double half_width, double seconds, double more);

/* How long a worker may take to end after it was asked to: it looks between two steps, so twice
 * its longest step, and a minute at least, because others may take the processors just then. */
long long pace_obey_ns(const struct pace *pace);

/* In the order of the enum, NULL-terminated. */
extern const char *const pace_verdict_names[];

/* "all_steps", "target", "time_up", "dollars_up" or "little_more". */
const char *pace_verdict_name(enum pace_verdict verdict);

/* A zeroed pace is fine. */
void pace_free(struct pace *pace);

/* The same pointer for a stored or received word, or NULL for an unknown word. */
const char *pace_verdict_from_name(const char *name);
