/* Sings a canary: measures how fast this machine is just now, by two pieces of work whose cost
 * does not depend on us. engine/canary.h says what comes of it. */
#pragma once

#include "engine/canary.h"

/* Takes the calling thread for about a fifth of a second: slices of additions that wait for each
 * other, and slices of a copy between two buffers of 32 MiB, in turns, so that both see the same
 * moments. Of each kind the median counts: a slice in which we were preempted, or the first one,
 * which wakes a core that slept, spoils nothing.
 *
 * The 64 MiB stay with the process from the first call on, and are part of its peak memory. One
 * thread at a time. */
struct canary canary_sing(void);
