/* The machine under the worker, as far as it needs it. */
#pragma once

#include "common/error.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>
#include <stddef.h>

/* Nanoseconds since some fixed point in the past, by a clock that is never adjusted: what parts
 * of a step are timed by, all of them, so that they add up to it. */
long long host_clock_ns(void);

/* From now on threads and memory of this process lie as the spec wants (placement.h). Call it
 * first: existing threads and memory stay where they are. Without a call, threads and memory lie
 * as with the defaults of a spec. ERROR_INVALID or ERROR_UNABLE name the field. */
MUST_USE bool host_settle(const struct run_spec *spec, struct error *err);

/* What "threads: 0" means. */
int host_threads(void);

/* How many threads oneDNN may use from now on, where the calling thread calls it. */
void host_set_threads(int threads);

/* The same for a thread that is to lead so many in the library's parallel regions: each of them,
 * itself included, goes to its place. */
void host_lead_threads(int threads);

/* Sends the calling thread to the index-th place: a thread that moves leaves its cache behind.
 * Where there is no such place, or threads are not to be bound, it runs on all of them. */
void host_stay_on(int index);

/* Lets the calling thread, which has inherited its place, run on all of them again. */
void host_stay_anywhere(void);

#define HOST_HUGE_PAGE ((size_t)2 << 20)

/* Asks for huge pages under the whole pages of memory, if they are wanted; says whether they were
 * asked for. */
bool host_ask_huge_pages(void *memory, size_t bytes);

/* Bytes that may still be taken: what the system says is available, or what the limit of our
 * control group leaves, whichever is less. */
long long host_free_memory(void);

/* The most that this process has had in memory. */
long long host_peak_memory(void);
