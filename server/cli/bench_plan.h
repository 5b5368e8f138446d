/* Which runs a bench makes: a set of this program's own as a sweep is asked for, so that it is
 * stored, run and carried on like any other. Pure. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The label that says of a run that a bench made it, and which set it is. */
#define BENCH_LABEL "bench"

struct bench_wish {
    const char *set;       /* "standard" or "quick" */
    const char *label;     /* as in struct config: "key=value;key=value" */
    long long max_seconds; /* of all runs together */
    double max_dollars;    /* of all runs together; 0 for no limit */
    bool has_bf16;         /* the processor has it, without emulation */
};

struct bench_plan {
    char *request;            /* owned: for sweep_queue() */
    size_t runs, cells;       /* each cell is run equally often */
    long long run_seconds;    /* that the longest run may take */
    long long repeat_seconds; /* from the start: until then runs that are invalid are repeated */
};

/* The time and the money are dealt out so that all runs fit, f32 getting more of both than bf16,
 * whose steps are about half as long. What runs leave of it, as they end at their target or where
 * more time buys little, is for repeating runs that were disturbed; of the quick set that is
 * little, for it takes about a minute. ERROR_INVALID blames "--label". *ret_plan is written only
 * on success. */
bool bench_plan_make(const struct bench_wish *wish, struct bench_plan *ret_plan,
                     struct error *err) __attribute__((warn_unused_result));

/* A zeroed plan is fine. */
void bench_plan_clear(struct bench_plan *plan);

/* Of the request of a stored sweep: whether a bench has made it, and whether it is the same set
 * of runs under the same labels, none of which may take more time or money than ours. */
enum bench_kin { BENCH_STRANGER, BENCH_OTHER, BENCH_SAME };
enum bench_kin bench_plan_compare(const struct bench_plan *plan, const char *request);
