/* How long a run goes on, and how far it has come. Pure arithmetic over the steps seen so far, by
 * the functions that will make the summary of them. */
#pragma once

#include "engine/spec/run_spec.h"
#include "engine/stats/warmup.h"

enum pace_verdict {
    PACE_GO_ON,
    PACE_ALL_STEPS,  /* the spec's own number of steps is reached */
    PACE_TARGET,     /* "auto": the interval is as narrow as was asked */
    PACE_TIME_UP,    /* max_seconds is over */
    PACE_DOLLARS_UP, /* max_dollars is spent */
    /* "auto", where pace.stops_for_little is set: the target is out of reach in the time and the
     * money left, and all of it would leave the interval hardly narrower than it is. Never before
     * the least that "target" takes: 30 steps, min_seconds and a cut that stays. */
    PACE_LITTLE_MORE,
};

/* An interval that stays this much of its width or more is hardly narrower. It narrows with the
 * square root of the steps, so the run ends when 0.8 * 0.8 of the time it could measure is over.
 */
#define PACE_HARDLY_NARROWER 0.8

struct pace {
    long long warmup_wanted, wanted; /* steps, or FIELD_IS_AUTO */
    long long batch_size, min_ns, max_ns;
    double target_percent, max_dollars, dollars_per_ns; /* the last two 0 where not known */
    bool stops_for_little;  /* set by the caller after pace_start(): see PACE_LITTLE_MORE */
    long long *nanoseconds; /* owned: of every step */
    size_t steps, size;     /* seen, warm-up included */
    long long total_ns;
    size_t looked_at;     /* steps there were when the next five were computed */
    bool end_seen;        /* that look found that the run has what was asked for */
    struct warmup warmup; /* as far as it can be known: its end may move */
    long long warmup_ns;
    size_t interval_steps;     /* measured ones, of which there is an interval */
    double half_width_percent; /* 0: not known yet */
};

/* What a watcher sees while the run is under way. */
struct progress {
    long long steps_done, steps_planned; /* planned: an estimate while steps is "auto" */
    const char *phase; /* "sizing" while the batch is chosen, "warm_up", then "measuring" */
    double samples_per_second; /* so far; 0 before the first step */
    double half_width_percent; /* of the 95 % interval; 0 while there is none */
    double rough_percent;      /* from five steps on, before there is an interval: what it may be
                                  about, 0.1 at least; 0 otherwise */
    double within_reach_percent; /* half_width_percent when all the time and money are spent;
                                    0 while it is 0 */
    double dollars;              /* spent so far; 0 where the price is not known */
    double elapsed_seconds, seconds_left;
};

/* `dollars_per_hour` of this machine, 0 unknown. */
void pace_start(struct pace *pace, const struct run_spec *spec, double dollars_per_hour);

/* So much of its time and money was spent before the worker started; a second at least is left.
 */
void pace_shorten(struct pace *pace, long long spent_ns);

/* The most step events the spec allows. */
long long pace_steps_max(const struct run_spec *spec);

void pace_step(struct pace *pace, long long nanoseconds);

/* `elapsed_ns` since the worker was started. */
enum pace_verdict pace_judge(const struct pace *pace, long long elapsed_ns);
struct progress pace_progress(const struct pace *pace, long long elapsed_ns);

/* Half the width of an interval after `more` seconds of measuring, when `seconds` of measuring
 * gave `half_width`: it narrows with the square root of their number. */
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

/* The same pointer for a word that was stored or sent, or NULL for another word. */
const char *pace_verdict_from_name(const char *name);
