/* Plans the runs of a bench as the request of a sweep, so that they are stored, run and continued
 * like any other sweep. Pure. */
#pragma once

#include "common/error.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>
#include <stddef.h>

/* The label of each run of a bench; its value is the set. */
#define BENCH_LABEL "bench"
#define BENCH_WANTED "wanted" /* the set chosen by a hub */

struct bench_wish {
    const char *set;               /* "standard", "quick" or BENCH_WANTED */
    const char *label;             /* as in struct config: "key=value;key=value" */
    long long max_seconds;         /* of all runs together */
    double max_dollars;            /* of all runs together; 0 for no limit */
    long long batch_size;          /* or FIELD_IS_AUTO */
    bool has_bf16;                 /* the processor has it, without emulation */
    const struct run_spec *wanted; /* of the set BENCH_WANTED: its only configuration */
};

struct bench_plan {
    char *request;            /* owned: for sweep_queue() */
    size_t runs, cells;       /* every cell has the same number of runs */
    long long run_seconds;    /* the longest run may take */
    long long repeat_seconds; /* from the start; invalid runs are repeated until then */
};

/* Divides the time and the money so that all runs fit; f32 gets more of both than bf16, whose
 * steps are about half as long. A run that ends early, at its target or because more time buys
 * little, leaves its rest for repeating disturbed runs. The quick set leaves little, since it
 * takes about a minute. ERROR_INVALID names "--label". Writes *ret_plan only on success. */
MUST_USE bool bench_plan_make(const struct bench_wish *wish, struct bench_plan *ret_plan,
                              struct error *err);

/* Accepts a zeroed plan. */
void bench_plan_clear(struct bench_plan *plan);

/* Compares the plan with the request of a stored sweep: not from a bench, from another bench, or
 * the same runs under the same labels, none with more time or money than ours. */
enum bench_kin { BENCH_STRANGER, BENCH_OTHER, BENCH_SAME };
enum bench_kin bench_plan_compare(const struct bench_plan *plan, const char *request);
