/* Limits the large bodies held at once, and so the memory that clients can take: a body may have
 * 16 MiB. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#define LARGE_BODIES_MAX 4

struct large_body_slots {
    atomic_int taken;
};

/* Thread-safe; false when all slots are taken. */
static inline bool large_body_slots_take(struct large_body_slots *slots)
{
    if (atomic_fetch_add(&slots->taken, 1) < LARGE_BODIES_MAX)
        return true;
    atomic_fetch_sub(&slots->taken, 1);
    return false;
}

static inline void large_body_slots_leave(struct large_body_slots *slots)
{
    atomic_fetch_sub(&slots->taken, 1);
}
