/* Runs a canary: measures the machine's present speed by two pieces of work whose cost does not
 * depend on the training. The result is in engine/trace/canary_reading.h. */
#pragma once

#include "engine/trace/canary_reading.h"

#include <stddef.h>

/* Takes the calling thread for about 0.15 s: slices of additions that wait for each other, and
 * slices of a copy from one 64 MiB to another, in turns, so that both see the same moments. Of
 * each kind the median counts, so one slice in which the thread was preempted, or the first one,
 * which wakes a core that slept, changes nothing. The result is the clock and the memory as the
 * whole machine, its other tenants included, leaves them to this process.
 *
 * Neither is a peak: additions that wait for each other use one unit of several, a library's copy
 * by one thread uses less than all of the memory's channels, and a median is not the best. Shares
 * of what the machine could do at most are of peak_run.h's figures.
 *
 * The 128 MiB (in huge pages where the system gives them) stay with the process from the first
 * call on. One thread at a time. */
struct canary canary_run(void);

/* The 128 MiB, allocated now if they were not: page-aligned and filled. Others may use them
 * between two canaries only. */
char *canary_room(size_t *ret_bytes);

/* Bytes held, 0 before the first call of either. */
long long canary_memory(void);
