#include "server/base/service_thread.h"

#include "server/base/condition.h"

#include <assert.h>

void service_thread_init(struct service_thread *thread)
{
    thread->stopping = thread->started = thread->joined = false;
    pthread_mutex_init(&thread->lock, NULL);
    condition_init(&thread->changed);
}

bool service_thread_start(struct service_thread *thread, const char *name, void *(*work)(void *),
                          void *user, struct error *err)
{
    assert(!thread->started);
    thread->started = pthread_create(&thread->thread, NULL, work, user) == 0;
    return thread->started ||
           error_set(err, ERROR_INTERNAL, NULL, "cannot start the %.40s thread", name);
}

void service_thread_lock(struct service_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
}

void service_thread_unlock(struct service_thread *thread)
{
    pthread_mutex_unlock(&thread->lock);
}

void service_thread_wake(struct service_thread *thread)
{
    pthread_cond_broadcast(&thread->changed);
}

bool service_thread_wait(struct service_thread *thread, long long when_ns)
{
    if (!thread->stopping)
        condition_wait(&thread->changed, &thread->lock, when_ns);
    return !thread->stopping;
}

bool service_thread_is_stopping(struct service_thread *thread)
{
    bool stopping;

    pthread_mutex_lock(&thread->lock);
    stopping = thread->stopping;
    pthread_mutex_unlock(&thread->lock);
    return stopping;
}

void service_thread_ask_to_stop(struct service_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    thread->stopping = true;
    pthread_cond_broadcast(&thread->changed);
    pthread_mutex_unlock(&thread->lock);
}

void service_thread_join(struct service_thread *thread)
{
    if (!thread->started || thread->joined)
        return;
    assert(thread->stopping && !pthread_equal(thread->thread, pthread_self()));
    pthread_join(thread->thread, NULL);
    thread->joined = true;
}

void service_thread_clear(struct service_thread *thread)
{
    assert(!thread->started || thread->joined);
    pthread_cond_destroy(&thread->changed);
    pthread_mutex_destroy(&thread->lock);
}
