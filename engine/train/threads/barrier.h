/* A point where a number of threads wait for each other. */
#pragma once

#include <stdatomic.h>

/* Ready with its count set and the rest zero. The count may be lowered before the last arrives.
 */
struct barrier {
    atomic_int count, arrived;
    atomic_uint round; /* the last to arrive starts the next one */
};

/* Returns when all have come. Spins for a moment, then sleeps: a thread that spins on a core
 * which another needs makes both slow. */
void barrier_wait(struct barrier *barrier);
