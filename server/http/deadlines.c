#include "server/http/deadlines.h"

#include "common/clock.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct sentry {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    long long planned_ns;
    bool stopping;
    tick_fn *tick;
    void *user;
};

/* With the lock held: waits until the plan is due, changed or over. */
static void sleep_until_planned(struct sentry *sentry)
{
    struct timespec when = {.tv_sec = sentry->planned_ns / NS_PER_SECOND,
                            .tv_nsec = sentry->planned_ns % NS_PER_SECOND};

    if (sentry->planned_ns == LLONG_MAX)
        pthread_cond_wait(&sentry->changed, &sentry->lock);
    else
        pthread_cond_timedwait(&sentry->changed, &sentry->lock, &when);
}

static void *watch(void *user)
{
    struct sentry *sentry = user;

    pthread_mutex_lock(&sentry->lock);
    while (!sentry->stopping) {
        long long now = clock_monotonic_ns();

        if (sentry->planned_ns > now) {
            sleep_until_planned(sentry);
            continue;
        }
        sentry->planned_ns = LLONG_MAX; /* whoever asks meanwhile is not forgotten */
        pthread_mutex_unlock(&sentry->lock);
        long long next = sentry->tick(sentry->user, now);
        pthread_mutex_lock(&sentry->lock);
        if (next < sentry->planned_ns)
            sentry->planned_ns = next;
    }
    pthread_mutex_unlock(&sentry->lock);
    return NULL;
}

struct sentry *sentry_start(tick_fn *tick, void *user, struct error *err)
{
    struct sentry *sentry = calloc(1, sizeof *sentry);
    pthread_condattr_t monotonic;

    if (!sentry) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    sentry->tick = tick;
    sentry->user = user;
    sentry->planned_ns = LLONG_MAX;
    pthread_mutex_init(&sentry->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&sentry->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&sentry->thread, NULL, watch, sentry) != 0) {
        error_set(err, ERROR_INTERNAL, NULL, "cannot start the sentry thread");
        free(sentry);
        return NULL;
    }
    return sentry;
}

void sentry_wake_by(struct sentry *sentry, long long when_ns)
{
    pthread_mutex_lock(&sentry->lock);
    if (when_ns < sentry->planned_ns) {
        sentry->planned_ns = when_ns;
        pthread_cond_signal(&sentry->changed);
    }
    pthread_mutex_unlock(&sentry->lock);
}

void sentry_stop(struct sentry *sentry)
{
    if (!sentry)
        return;
    pthread_mutex_lock(&sentry->lock);
    sentry->stopping = true;
    pthread_cond_signal(&sentry->changed);
    pthread_mutex_unlock(&sentry->lock);
    pthread_join(sentry->thread, NULL);
}

void sentry_free(struct sentry *sentry)
{
    if (!sentry)
        return;
    pthread_cond_destroy(&sentry->changed);
    pthread_mutex_destroy(&sentry->lock);
    free(sentry);
}
