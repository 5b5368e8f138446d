/* Who watches which run: streams of events and requests that wait for an end. The database holds
 * what is true; this only says "look again", and keeps the progress of the run under way, which
 * is not worth storing. All functions may be called from any thread. */
#pragma once

#include "engine/run/pace.h"
#include "engine/spec/run_id.h"

#include <stdbool.h>

struct notifications;

/* Lives inside whoever watches. The functions are called with the lock of live held: they must be
 * quick and must not call back. */
struct watcher {
    struct watcher *next, *previous;
    struct run_id run;
    void (*suspend)(void *user); /* the connection is left alone until resume() */
    void (*resume)(void *user);
    void (*cut)(void *user); /* the reader is too slow: drop it */
    void *user;
    long long wake_ns;  /* when asleep: resume by then, news or not */
    long long awake_ns; /* when awake: since when; a stream stuck in sending gets old */
    bool watching, asleep, news;
    bool may_cut;
};

/* `wake_by` is told when notifications_tick() has to be called next, whenever that may be earlier
 * than it last said. */
struct notifications *notifications_new(long long slow_reader_ns,
                                        void (*wake_by)(void *user, long long when_ns),
                                        void *user);
void notifications_free(struct notifications *notifications);

/* Starts to watch a run; the first notifications_sleep() returns at once, so that nothing between
 * looking and watching is missed. The caller's function pointers must be set. */
void notifications_watch(struct notifications *notifications, struct watcher *watcher,
                         const struct run_id *run, long long now_ns);

/* Stops; harmless when not watching. */
void notifications_leave(struct notifications *notifications, struct watcher *watcher);

/* Suspends the watcher until there is news of its run or `until_ns`, and returns true; or returns
 * false at once when there is news already. */
bool notifications_sleep(struct notifications *notifications, struct watcher *watcher,
                         long long now_ns, long long until_ns);

/* The run's state changed: look into the database. */
void notifications_tell(struct notifications *notifications, const char *run_id,
                        long long now_ns);

/* Something changed that concerns all who watch. */
void notifications_tell_all(struct notifications *notifications, long long now_ns);

/* The run under way has come this far. */
void notifications_progress(struct notifications *notifications, const struct run_id *run,
                            const struct progress *progress, long long now_ns);

/* How far the run has come; false if it is not the one under way. `elapsed_seconds` is brought
 * up to `now_ns`. */
bool notifications_get_progress(struct notifications *notifications, const char *run_id,
                                long long now_ns, struct progress *ret_progress);

/* Wakes the sleepers whose time has come and cuts the readers that are stuck. Returns when it
 * wants to be called next, or LLONG_MAX. */
long long notifications_tick(struct notifications *notifications, long long now_ns);

/* Wakes everybody for good: nobody sleeps any more. */
void notifications_close(struct notifications *notifications, long long now_ns);
bool notifications_is_closed(struct notifications *notifications);

/* How many watch. */
int notifications_count(struct notifications *notifications);
