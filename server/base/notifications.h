/* Who watches which run: streams of events and requests that wait for an end. The database holds
 * what is true; this only says "look again", and keeps the progress of the run under way, which
 * is not worth storing. All functions may be called from any thread. */
#pragma once

#include "engine/run/pace.h"
#include "engine/spec/run_id.h"

#include <stdbool.h>

struct live;

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

/* `wake_by` is told when live_tick() has to be called next, whenever that may be earlier than it
 * last said. */
struct live *live_new(long long slow_reader_ns, void (*wake_by)(void *user, long long when_ns),
                      void *user);
void live_free(struct live *live);

/* Starts to watch a run; the first live_sleep() returns at once, so that nothing between looking
 * and watching is missed. The caller's function pointers must be set. */
void live_watch(struct live *live, struct watcher *watcher, const struct run_id *run,
                long long now_ns);

/* Stops; harmless when not watching. */
void live_leave(struct live *live, struct watcher *watcher);

/* Suspends the watcher until there is news of its run or `until_ns`, and returns true; or returns
 * false at once when there is news already. */
bool live_sleep(struct live *live, struct watcher *watcher, long long now_ns, long long until_ns);

/* The run's state changed: look into the database. */
void live_tell(struct live *live, const char *run_id, long long now_ns);

/* Something changed that concerns all who watch. */
void live_tell_all(struct live *live, long long now_ns);

/* The run under way has come this far. */
void live_progress(struct live *live, const struct run_id *run, const struct progress *progress,
                   long long now_ns);

/* How far the run has come; false if it is not the one under way. `elapsed_seconds` is brought
 * up to `now_ns`. */
bool live_get_progress(struct live *live, const char *run_id, long long now_ns,
                       struct progress *ret_progress);

/* Wakes the sleepers whose time has come and cuts the readers that are stuck. Returns when it
 * wants to be called next, or LLONG_MAX. */
long long live_tick(struct live *live, long long now_ns);

/* Wakes everybody for good: nobody sleeps any more. */
void live_close(struct live *live, long long now_ns);
bool live_is_closed(struct live *live);

/* How many watch. */
int live_count(struct live *live);
