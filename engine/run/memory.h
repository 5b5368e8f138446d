/* How much memory a run of the native engine needs, and how much it may use. A run that cannot
 * fit is refused before it starts; if the kernel kills one, its reason has these figures. */
#pragma once

#include "common/error.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>

/* The lower limit of our control group and the machine. */
struct memory_limit {
    long long bytes; /* 0 unknown */
    bool of_group;   /* the control group's, not the machine's */
};

/* `root` as in proc.h. Read it each time: `docker update` changes it. */
void memory_limit_read(const char *root, struct memory_limit *ret_limit);

/* The worker's peak memory on `threads` threads (0: unknown); 0 unknown. Within 15 % of
 * measurements (figures in memory.c). */
long long memory_need(const struct run_spec *spec, long long threads);

/* The largest batch that surely fits; 0 none, -1 unknown. */
long long memory_largest_batch(const struct run_spec *spec, long long threads, long long bytes);

/* ERROR_UNABLE names `batch_size` if it surely does not fit. Swap is not counted: a run that
 * swaps measures the swap. */
MUST_USE bool memory_can_hold(const struct run_spec *spec, long long threads,
                              const struct memory_limit *limit, struct error *err);

/* Explains in a sentence why the kernel killed a worker: the limit, the worker's peak, and the
 * largest batch that fits (left out if `largest` is -1). */
void memory_explain_kill(const struct memory_limit *limit, long long peak_bytes,
                         long long largest, struct error *err);
