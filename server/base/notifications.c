#include "server/base/notifications.h"

#include "common/memory.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct notifications {
    pthread_mutex_t lock;
    struct watcher *first;
    int count;
    bool closed;
    long long slow_reader_ns;
    struct run_id current; /* whose progress it is; "" for none */
    struct progress progress;
    long long progress_ns; /* when it was set */
    void (*wake_by)(void *user, long long when_ns);
    void *user;
};

struct notifications *notifications_new(long long slow_reader_ns,
                                        void (*wake_by)(void *user, long long when_ns),
                                        void *user)
{
    struct notifications *notifications = xcalloc(1, sizeof *notifications);

    pthread_mutex_init(&notifications->lock, NULL);
    notifications->slow_reader_ns = slow_reader_ns;
    notifications->wake_by = wake_by;
    notifications->user = user;
    return notifications;
}

void notifications_free(struct notifications *notifications)
{
    if (!notifications)
        return;
    pthread_mutex_destroy(&notifications->lock);
    free(notifications);
}

void notifications_watch(struct notifications *notifications, struct watcher *watcher,
                         const struct topic *topic, long long now_ns)
{
    pthread_mutex_lock(&notifications->lock);
    watcher->topic = *topic;
    watcher->watching = watcher->news = true;
    watcher->asleep = false;
    watcher->awake_ns = now_ns;
    watcher->previous = NULL;
    watcher->next = notifications->first;
    if (notifications->first)
        notifications->first->previous = watcher;
    notifications->first = watcher;
    notifications->count++;
    pthread_mutex_unlock(&notifications->lock);
    notifications->wake_by(notifications->user, now_ns + notifications->slow_reader_ns);
}

void notifications_leave(struct notifications *notifications, struct watcher *watcher)
{
    if (!watcher->watching) /* only its owner, who is calling, ever sets this */
        return;
    pthread_mutex_lock(&notifications->lock);
    if (watcher->previous)
        watcher->previous->next = watcher->next;
    else
        notifications->first = watcher->next;
    if (watcher->next)
        watcher->next->previous = watcher->previous;
    watcher->watching = false;
    notifications->count--;
    pthread_mutex_unlock(&notifications->lock);
}

bool notifications_sleep(struct notifications *notifications, struct watcher *watcher,
                         long long now_ns, long long until_ns)
{
    pthread_mutex_lock(&notifications->lock);
    bool sleeps = !watcher->news && !notifications->closed && until_ns > now_ns;
    watcher->news = false;
    watcher->awake_ns = now_ns;
    if (sleeps) {
        watcher->asleep = true;
        watcher->wake_ns = until_ns;
        /* Under the lock: a resume that overtook its suspend would be lost. */
        watcher->suspend(watcher->user);
    }
    pthread_mutex_unlock(&notifications->lock);
    if (sleeps)
        notifications->wake_by(notifications->user, until_ns);
    return sleeps;
}

static void notifications_wake(struct watcher *watcher, long long now_ns)
{
    watcher->asleep = false;
    watcher->awake_ns = now_ns;
    watcher->resume(watcher->user);
}

static bool is_about(const struct topic *topic, const struct watcher *watcher)
{
    return !topic || (topic->kind == watcher->topic.kind &&
                      strcmp(topic->id.text, watcher->topic.id.text) == 0);
}

/* With the lock held; NULL stands for every topic. Returns whether a watcher woke. */
static bool notifications_tell_topic(struct notifications *notifications,
                                     const struct topic *topic, long long now_ns)
{
    bool woke = false;

    for (struct watcher *watcher = notifications->first; watcher; watcher = watcher->next) {
        if (!is_about(topic, watcher))
            continue;
        watcher->news = true;
        if (!watcher->asleep)
            continue;
        notifications_wake(watcher, now_ns);
        woke = true;
    }
    return woke;
}

void notifications_publish(struct notifications *notifications, const struct topic *topic,
                           long long now_ns)
{
    pthread_mutex_lock(&notifications->lock);
    bool woke = notifications_tell_topic(notifications, topic, now_ns);
    pthread_mutex_unlock(&notifications->lock);
    if (woke) /* a reader that is awake can get stuck */
        notifications->wake_by(notifications->user, now_ns + notifications->slow_reader_ns);
}

void notifications_tell(struct notifications *notifications, const char *run_id, long long now_ns)
{
    struct topic topic = {.kind = TOPIC_RUN};

    snprintf(topic.id.text, sizeof topic.id.text, "%s", run_id);
    notifications_publish(notifications, &topic, now_ns);
}

void notifications_tell_all(struct notifications *notifications, long long now_ns)
{
    notifications_publish(notifications, NULL, now_ns);
}

void notifications_progress(struct notifications *notifications, const struct run_id *run,
                            const struct progress *progress, long long now_ns)
{
    const struct topic topic = {TOPIC_RUN, *run};

    pthread_mutex_lock(&notifications->lock);
    notifications->current = *run;
    notifications->progress = *progress;
    notifications->progress_ns = now_ns;
    bool woke = notifications_tell_topic(notifications, &topic, now_ns);
    pthread_mutex_unlock(&notifications->lock);
    if (woke)
        notifications->wake_by(notifications->user, now_ns + notifications->slow_reader_ns);
}

bool notifications_get_progress(struct notifications *notifications, const char *run_id,
                                long long now_ns, struct progress *ret_progress)
{
    pthread_mutex_lock(&notifications->lock);
    bool found = strcmp(notifications->current.text, run_id) == 0;
    if (found) {
        /* The runner may have set it after the caller read its clock. */
        double since = now_ns > notifications->progress_ns
                           ? (double)(now_ns - notifications->progress_ns) / 1e9
                           : 0;

        *ret_progress = notifications->progress;
        ret_progress->elapsed_seconds += since;
        ret_progress->seconds_left =
            ret_progress->seconds_left > since ? ret_progress->seconds_left - since : 0;
    }
    pthread_mutex_unlock(&notifications->lock);
    return found;
}

long long notifications_tick(struct notifications *notifications, long long now_ns)
{
    long long next = LLONG_MAX;

    pthread_mutex_lock(&notifications->lock);
    for (struct watcher *watcher = notifications->first; watcher; watcher = watcher->next) {
        long long due = watcher->asleep ? watcher->wake_ns
                                        : watcher->awake_ns + notifications->slow_reader_ns;

        if (due <= now_ns && watcher->asleep) {
            notifications_wake(watcher, now_ns);
            due = now_ns + notifications->slow_reader_ns;
        } else if (due <= now_ns) {
            if (watcher->may_cut)
                watcher->cut(watcher->user);
            /* Its connection ends in a moment; no need to look again soon. */
            watcher->awake_ns = now_ns;
            due = now_ns + notifications->slow_reader_ns;
        }
        next = due < next ? due : next;
    }
    pthread_mutex_unlock(&notifications->lock);
    return next;
}

void notifications_close(struct notifications *notifications, long long now_ns)
{
    pthread_mutex_lock(&notifications->lock);
    notifications->closed = true;
    for (struct watcher *watcher = notifications->first; watcher; watcher = watcher->next)
        if (watcher->asleep)
            notifications_wake(watcher, now_ns);
    pthread_mutex_unlock(&notifications->lock);
}

bool notifications_is_closed(struct notifications *notifications)
{
    pthread_mutex_lock(&notifications->lock);
    bool closed = notifications->closed;
    pthread_mutex_unlock(&notifications->lock);
    return closed;
}

int notifications_count(struct notifications *notifications)
{
    pthread_mutex_lock(&notifications->lock);
    int count = notifications->count;
    pthread_mutex_unlock(&notifications->lock);
    return count;
}
