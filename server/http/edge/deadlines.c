#include "server/http/edge/deadlines.h"

#include "common/clock.h"
#include "common/memory.h"
#include "server/base/service_thread.h"

#include <limits.h>
#include <stdlib.h>

struct deadlines {
    struct service_thread thread;
    long long planned_ns; /* under its lock */
    tick_fn *tick;
    void *user;
};

static void *deadlines_watch(void *user)
{
    struct deadlines *deadlines = user;

    service_thread_lock(&deadlines->thread);
    while (!deadlines->thread.stopping) {
        long long now = clock_monotonic_ns();

        if (deadlines->planned_ns > now) {
            service_thread_wait(&deadlines->thread, deadlines->planned_ns);
            continue;
        }
        deadlines->planned_ns = LLONG_MAX; /* a wake_by() during the tick sets it again */
        service_thread_unlock(&deadlines->thread);
        long long next = deadlines->tick(deadlines->user, now);
        service_thread_lock(&deadlines->thread);
        if (next < deadlines->planned_ns)
            deadlines->planned_ns = next;
    }
    service_thread_unlock(&deadlines->thread);
    return NULL;
}

struct deadlines *deadlines_start(tick_fn *tick, void *user, struct error *err)
{
    struct deadlines *deadlines = xcalloc(1, sizeof *deadlines);

    deadlines->tick = tick;
    deadlines->user = user;
    deadlines->planned_ns = LLONG_MAX;
    service_thread_init(&deadlines->thread);
    if (!service_thread_start(&deadlines->thread, "deadlines", deadlines_watch, deadlines, err)) {
        deadlines_free(deadlines);
        return NULL;
    }
    return deadlines;
}

void deadlines_wake_by(struct deadlines *deadlines, long long when_ns)
{
    service_thread_lock(&deadlines->thread);
    if (when_ns < deadlines->planned_ns) {
        deadlines->planned_ns = when_ns;
        service_thread_wake(&deadlines->thread);
    }
    service_thread_unlock(&deadlines->thread);
}

void deadlines_stop(struct deadlines *deadlines)
{
    if (!deadlines)
        return;
    service_thread_ask_to_stop(&deadlines->thread);
    service_thread_join(&deadlines->thread);
}

void deadlines_free(struct deadlines *deadlines)
{
    if (!deadlines)
        return;
    service_thread_clear(&deadlines->thread);
    free(deadlines);
}
