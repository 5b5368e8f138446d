/* The thread that asks the cloud for a preemption notice: while a run is queued or under way on a
 * spot machine, and while a notice stands. Otherwise it sleeps. */
#pragma once

#include "server/base/this_machine.h"

struct preemption_watch;

struct preemption_watch_parts {
    struct this_machine *this_machine;
    const char *metadata; /* the option --metadata */
    fetch_fn *fetch;      /* NULL: curl; `fetcher` is then ignored */
    void *fetcher;
    long long period_ns; /* 0: five seconds, less in haste (common/haste.h) */
    /* The watch's thread calls these in turn: a notice has come; the cloud has withdrawn it, as
     * after a hibernation. */
    void (*notice)(void *user, const char *why);
    void (*withdraw)(void *user);
    void *user;
};

/* Sets *ret_watch to NULL where --metadata is off; every function below accepts NULL. */
MUST_USE bool preemption_watch_start(const struct preemption_watch_parts *parts,
                                     struct preemption_watch **ret_watch, struct error *err);

/* Says whether a run is queued or under way. */
void preemption_watch_watch(struct preemption_watch *watch, bool busy);

/* Call this before beginning a run: waits until the last answer is at most one period old. Waits
 * ten seconds at most, and returns early after a stop. Does not wait where no cloud can be asked,
 * nor for a service that fails to answer. */
void preemption_watch_settle(struct preemption_watch *watch);

/* Interrupts the request under way and ends the thread. preemption_watch_watch() may still be
 * called and has no effect; this may be called again. */
void preemption_watch_stop(struct preemption_watch *watch);
void preemption_watch_free(struct preemption_watch *watch);
