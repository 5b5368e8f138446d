/* The thread that looks out for the cloud to take this machine back: it asks while there is a run
 * to lose and the machine is known to be spot, or while a notice stands, and sleeps without
 * waking otherwise. */
#pragma once

#include "server/base/this_machine.h"

struct preemption_watch;

struct preemption_watch_parts {
    struct this_machine *here;
    const char *metadata; /* the setting of that name */
    fetch_fn *fetch;      /* NULL: the real one, and no fetcher */
    void *fetcher;
    long long period_ns; /* 0: five seconds */
    /* Called by its own thread, in turn: the machine is taken back; it stays after all, as after
     * a hibernation. */
    void (*notice)(void *user, const char *why);
    void (*withdraw)(void *user);
    void *user;
};

/* *ret_lookout is NULL where nobody is to be asked; that is fine for all that follows. */
bool preemption_watch_start(const struct preemption_watch_parts *parts,
                            struct preemption_watch **ret_watch, struct error *err)
    __attribute__((warn_unused_result));

/* Whether there is anything to lose: a run under way, or one that waits. */
void preemption_watch_watch(struct preemption_watch *watch, bool busy);

/* There is something to lose: waits until what is known of a notice is no older than a period.
 * At most ten seconds, less when it is stopped; not at all where nobody is asked. A service that
 * does not answer was asked, too. */
void preemption_watch_settle(struct preemption_watch *watch);

/* Ends what is under way, and the thread. preemption_watch_watch() may still be called, in vain,
 * and this again. */
void preemption_watch_stop(struct preemption_watch *watch);
void preemption_watch_free(struct preemption_watch *watch);
