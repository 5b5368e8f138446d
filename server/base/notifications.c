#include "server/base/notifications.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct live {
    pthread_mutex_t lock;
    struct watcher *first;
    int count;
    bool closed;
    long long slow_reader_ns;
    struct run_id current; /* whose progress it is; "" for none */
    struct progress progress;
    long long progress_ns; /* when it was told */
    void (*wake_by)(void *user, long long when_ns);
    void *user;
};

struct live *live_new(long long slow_reader_ns, void (*wake_by)(void *user, long long when_ns),
                      void *user)
{
    struct live *live = calloc(1, sizeof *live);

    if (!live)
        return NULL;
    pthread_mutex_init(&live->lock, NULL);
    live->slow_reader_ns = slow_reader_ns;
    live->wake_by = wake_by;
    live->user = user;
    return live;
}

void live_free(struct live *live)
{
    if (!live)
        return;
    pthread_mutex_destroy(&live->lock);
    free(live);
}

void live_watch(struct live *live, struct watcher *watcher, const struct run_id *run,
                long long now_ns)
{
    pthread_mutex_lock(&live->lock);
    watcher->run = *run;
    watcher->watching = watcher->news = true;
    watcher->asleep = false;
    watcher->awake_ns = now_ns;
    watcher->previous = NULL;
    watcher->next = live->first;
    if (live->first)
        live->first->previous = watcher;
    live->first = watcher;
    live->count++;
    pthread_mutex_unlock(&live->lock);
    live->wake_by(live->user, now_ns + live->slow_reader_ns);
}

void live_leave(struct live *live, struct watcher *watcher)
{
    if (!watcher->watching) /* only its owner, who is calling, ever sets this */
        return;
    pthread_mutex_lock(&live->lock);
    if (watcher->previous)
        watcher->previous->next = watcher->next;
    else
        live->first = watcher->next;
    if (watcher->next)
        watcher->next->previous = watcher->previous;
    watcher->watching = false;
    live->count--;
    pthread_mutex_unlock(&live->lock);
}

bool live_sleep(struct live *live, struct watcher *watcher, long long now_ns, long long until_ns)
{
    pthread_mutex_lock(&live->lock);
    bool sleeps = !watcher->news && !live->closed && until_ns > now_ns;
    watcher->news = false;
    watcher->awake_ns = now_ns;
    if (sleeps) {
        watcher->asleep = true;
        watcher->wake_ns = until_ns;
        /* Under the lock: a resume that overtook its suspend would be lost. */
        watcher->suspend(watcher->user);
    }
    pthread_mutex_unlock(&live->lock);
    if (sleeps)
        live->wake_by(live->user, until_ns);
    return sleeps;
}

static void wake(struct watcher *watcher, long long now_ns)
{
    watcher->asleep = false;
    watcher->awake_ns = now_ns;
    watcher->resume(watcher->user);
}

/* With the lock held; NULL tells of every run. Returns true when somebody woke. */
static bool tell(struct live *live, const char *run_id, long long now_ns)
{
    bool woke = false;

    for (struct watcher *watcher = live->first; watcher; watcher = watcher->next) {
        if (run_id && strcmp(watcher->run.text, run_id) != 0)
            continue;
        watcher->news = true;
        if (!watcher->asleep)
            continue;
        wake(watcher, now_ns);
        woke = true;
    }
    return woke;
}

void live_tell(struct live *live, const char *run_id, long long now_ns)
{
    pthread_mutex_lock(&live->lock);
    bool woke = tell(live, run_id, now_ns);
    pthread_mutex_unlock(&live->lock);
    if (woke) /* from now on they can get stuck */
        live->wake_by(live->user, now_ns + live->slow_reader_ns);
}

void live_tell_all(struct live *live, long long now_ns)
{
    live_tell(live, NULL, now_ns);
}

void live_progress(struct live *live, const struct run_id *run, const struct progress *progress,
                   long long now_ns)
{
    pthread_mutex_lock(&live->lock);
    live->current = *run;
    live->progress = *progress;
    live->progress_ns = now_ns;
    bool woke = tell(live, run->text, now_ns);
    pthread_mutex_unlock(&live->lock);
    if (woke)
        live->wake_by(live->user, now_ns + live->slow_reader_ns);
}

bool live_get_progress(struct live *live, const char *run_id, long long now_ns,
                       struct progress *ret_progress)
{
    pthread_mutex_lock(&live->lock);
    bool found = strcmp(live->current.text, run_id) == 0;
    if (found) {
        /* The runner may have told of something newer than the caller's "now". */
        double since =
            now_ns > live->progress_ns ? (double)(now_ns - live->progress_ns) / 1e9 : 0;

        *ret_progress = live->progress;
        ret_progress->elapsed_seconds += since;
        ret_progress->seconds_left =
            ret_progress->seconds_left > since ? ret_progress->seconds_left - since : 0;
    }
    pthread_mutex_unlock(&live->lock);
    return found;
}

long long live_tick(struct live *live, long long now_ns)
{
    long long next = LLONG_MAX;

    pthread_mutex_lock(&live->lock);
    for (struct watcher *watcher = live->first; watcher; watcher = watcher->next) {
        long long due =
            watcher->asleep ? watcher->wake_ns : watcher->awake_ns + live->slow_reader_ns;

        if (due <= now_ns && watcher->asleep) {
            wake(watcher, now_ns);
            due = now_ns + live->slow_reader_ns;
        } else if (due <= now_ns) {
            if (watcher->may_cut)
                watcher->cut(watcher->user);
            /* Its connection ends in a moment; no need to look again soon. */
            watcher->awake_ns = now_ns;
            due = now_ns + live->slow_reader_ns;
        }
        next = due < next ? due : next;
    }
    pthread_mutex_unlock(&live->lock);
    return next;
}

void live_close(struct live *live, long long now_ns)
{
    pthread_mutex_lock(&live->lock);
    live->closed = true;
    for (struct watcher *watcher = live->first; watcher; watcher = watcher->next)
        if (watcher->asleep)
            wake(watcher, now_ns);
    pthread_mutex_unlock(&live->lock);
}

bool live_is_closed(struct live *live)
{
    pthread_mutex_lock(&live->lock);
    bool closed = live->closed;
    pthread_mutex_unlock(&live->lock);
    return closed;
}

int live_count(struct live *live)
{
    pthread_mutex_lock(&live->lock);
    int count = live->count;
    pthread_mutex_unlock(&live->lock);
    return count;
}
