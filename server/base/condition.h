/* A condition variable with deadlines on the monotonic clock. */
#pragma once

#include "common/clock.h"

#include <limits.h>
#include <pthread.h>
#include <time.h>

static inline void condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* With the lock held: sleeps until a signal or the deadline; LLONG_MAX is no deadline. Spurious
 * wake-ups are possible. */
static inline void condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                  long long when_ns)
{
    const struct timespec when = {.tv_sec = when_ns / NS_PER_SECOND,
                                  .tv_nsec = when_ns % NS_PER_SECOND};

    if (when_ns == LLONG_MAX)
        pthread_cond_wait(condition, lock);
    else
        pthread_cond_timedwait(condition, lock, &when);
}
