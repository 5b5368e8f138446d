/* Wakes event streams and held answers when their topic has news: a run, a sweep,
 * a long job or the backup.
 * News carries no content; a watcher reads the database again. Only the progress of the run under
 * way is kept here, because it is not stored. Thread-safe. */
#pragma once

#include "engine/run/pace.h"
#include "engine/spec/run_id.h"

#include <stdbool.h>

struct notifications;

/* What a watcher watches. TOPIC_BACKUP and TOPIC_ANSWERS exist once and have no id. */
enum topic_kind { TOPIC_RUN, TOPIC_SWEEP, TOPIC_BACKUP, TOPIC_LONG_JOB, TOPIC_ANSWERS };
struct topic {
    enum topic_kind kind;
    struct run_id id; /* of the run or sweep; the number of a long job; else "" */
};

/* Embedded in its owner. The functions are called with a lock held: they must be quick and must
 * not call back. */
struct watcher {
    struct watcher *next, *previous;
    struct topic topic;
    void (*suspend)(void *user); /* pauses the connection until resume() */
    void (*resume)(void *user);
    void (*cut)(void *user); /* drops a reader that is too slow */
    void *user;
    long long wake_ns;  /* asleep: resume by then, with or without news */
    long long awake_ns; /* awake: since when, to detect a stream that is stuck in sending */
    bool watching, asleep, news;
    bool may_cut;
};

/* Calls `wake_by` with the time of the next notifications_tick(), whenever that may be earlier
 * than planned. */
struct notifications *notifications_new(long long slow_reader_ns,
                                        void (*wake_by)(void *user, long long when_ns),
                                        void *user);
void notifications_free(struct notifications *notifications);

/* Starts to watch a topic. The first notifications_sleep() returns at once, so that the watcher
 * misses nothing between its look and this call. The function pointers must be set. */
void notifications_watch(struct notifications *notifications, struct watcher *watcher,
                         const struct topic *topic, long long now_ns);

/* Stops; harmless when not watching. */
void notifications_leave(struct notifications *notifications, struct watcher *watcher);

/* Suspends the watcher until its topic has news or until `until_ns`, and returns true. Returns
 * false at once if there is news already. */
bool notifications_sleep(struct notifications *notifications, struct watcher *watcher,
                         long long now_ns, long long until_ns);

/* Announces news of a topic. */
void notifications_publish(struct notifications *notifications, const struct topic *topic,
                           long long now_ns);

/* Announces that the state of a run changed. */
void notifications_tell(struct notifications *notifications, const char *run_id,
                        long long now_ns);

/* Announces news to every watcher. */
void notifications_tell_all(struct notifications *notifications, long long now_ns);

/* Sets the progress of the run under way, and announces news of that run. */
void notifications_progress(struct notifications *notifications, const struct run_id *run,
                            const struct progress *progress, long long now_ns);

/* Returns the progress of a run, with `elapsed_seconds` advanced to `now_ns`; false if it is not
 * the run under way. */
bool notifications_get_progress(struct notifications *notifications, const char *run_id,
                                long long now_ns, struct progress *ret_progress);

/* Wakes sleepers whose time is over and cuts readers that are stuck. Returns when to call it
 * next, or LLONG_MAX. */
long long notifications_tick(struct notifications *notifications, long long now_ns);

/* Wakes every watcher; from now on notifications_sleep() always returns false. */
void notifications_close(struct notifications *notifications, long long now_ns);
bool notifications_is_closed(struct notifications *notifications);

/* Number of watchers. */
int notifications_count(struct notifications *notifications);
