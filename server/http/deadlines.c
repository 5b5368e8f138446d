#include "server/http/deadlines.h"

#include "common/clock.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct deadlines {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    long long planned_ns;
    bool stopping;
    tick_fn *tick;
    void *user;
};

/* With the lock held: waits until the planned time, a change of it, or the end. */
static void sleep_until_planned(struct deadlines *deadlines)
{
    struct timespec when = {.tv_sec = deadlines->planned_ns / NS_PER_SECOND,
                            .tv_nsec = deadlines->planned_ns % NS_PER_SECOND};

    if (deadlines->planned_ns == LLONG_MAX)
        pthread_cond_wait(&deadlines->changed, &deadlines->lock);
    else
        pthread_cond_timedwait(&deadlines->changed, &deadlines->lock, &when);
}

static void *watch(void *user)
{
    struct deadlines *deadlines = user;

    pthread_mutex_lock(&deadlines->lock);
    while (!deadlines->stopping) {
        long long now = clock_monotonic_ns();

        if (deadlines->planned_ns > now) {
            sleep_until_planned(deadlines);
            continue;
        }
        deadlines->planned_ns = LLONG_MAX; /* a wake_by() during the tick sets it again */
        pthread_mutex_unlock(&deadlines->lock);
        long long next = deadlines->tick(deadlines->user, now);
        pthread_mutex_lock(&deadlines->lock);
        if (next < deadlines->planned_ns)
            deadlines->planned_ns = next;
    }
    pthread_mutex_unlock(&deadlines->lock);
    return NULL;
}

struct deadlines *deadlines_start(tick_fn *tick, void *user, struct error *err)
{
    struct deadlines *deadlines = calloc(1, sizeof *deadlines);
    pthread_condattr_t monotonic;

    if (!deadlines) {
        error_no_memory(err);
        return NULL;
    }
    deadlines->tick = tick;
    deadlines->user = user;
    deadlines->planned_ns = LLONG_MAX;
    pthread_mutex_init(&deadlines->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&deadlines->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&deadlines->thread, NULL, watch, deadlines) != 0) {
        error_set(err, ERROR_INTERNAL, NULL, "cannot start the deadlines thread");
        free(deadlines);
        return NULL;
    }
    return deadlines;
}

void deadlines_wake_by(struct deadlines *deadlines, long long when_ns)
{
    pthread_mutex_lock(&deadlines->lock);
    if (when_ns < deadlines->planned_ns) {
        deadlines->planned_ns = when_ns;
        pthread_cond_signal(&deadlines->changed);
    }
    pthread_mutex_unlock(&deadlines->lock);
}

void deadlines_stop(struct deadlines *deadlines)
{
    if (!deadlines)
        return;
    pthread_mutex_lock(&deadlines->lock);
    deadlines->stopping = true;
    pthread_cond_signal(&deadlines->changed);
    pthread_mutex_unlock(&deadlines->lock);
    pthread_join(deadlines->thread, NULL);
}

void deadlines_free(struct deadlines *deadlines)
{
    if (!deadlines)
        return;
    pthread_cond_destroy(&deadlines->changed);
    pthread_mutex_destroy(&deadlines->lock);
    free(deadlines);
}
