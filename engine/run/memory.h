/* How much memory a run of the house's engine takes, and how much it may. What cannot fit is
 * refused before it starts; what the kernel killed all the same gets these figures as its reason.
 */
#pragma once

#include "common/error.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>

/* The least of what our control group and the machine have. */
struct memory_limit {
    long long bytes; /* 0 unknown */
    bool of_group;   /* the control group's, not the machine's */
};

/* `root` as in proc.h. Read anew for each question: `docker update` changes it. */
void memory_limit_read(const char *root, struct memory_limit *ret_limit);

/* What the worker holds at its peak, on `threads` threads (0: not known); 0 unknown. Within 15 %
 * of what was measured (memory.c has the figures). */
long long memory_need(const struct run_spec *spec, long long threads);

/* The largest batch whose run fits with certainty; 0 none, -1 unknown. */
long long memory_largest_batch(const struct run_spec *spec, long long threads, long long bytes);

/* ERROR_UNABLE blames `batch_size` where it surely does not fit. A run that swaps measures the
 * swap, so that is not counted. */
MUST_USE bool memory_can_hold(const struct run_spec *spec, long long threads,
                              const struct memory_limit *limit, struct error *err);

/* Why a worker was killed by the kernel, as a sentence: the limit, the worker's peak, and the
 * largest batch that fits (`largest`: -1 is left out). */
void memory_explain_kill(const struct memory_limit *limit, long long peak_bytes,
                         long long largest, struct error *err);
