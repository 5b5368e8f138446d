/* The thread that looks out for the cloud to take this machine back: it asks while there is a run
 * to lose and the machine is known to be spot, or while a notice stands, and sleeps without
 * waking otherwise. */
#pragma once

#include "server/base/this_machine.h"

struct lookout;

struct lookout_parts {
    struct this_machine *here;
    const char *metadata; /* the setting of that name */
    fetch_fn *fetch;      /* NULL: the real one, and no fetcher */
    void *fetcher;
    long long period_ns; /* 0: five seconds */
    /* Called by its own thread, in turn: the machine is taken back; it stays after all, as after
     * a hibernation. */
    void (*leave)(void *user, const char *why);
    void (*stay)(void *user);
    void *user;
};

/* *ret_lookout is NULL where nobody is to be asked; that is fine for all that follows. */
bool lookout_start(const struct lookout_parts *parts, struct lookout **ret_lookout,
                   struct error *err) __attribute__((warn_unused_result));

/* Whether there is anything to lose: a run under way, or one that waits. */
void lookout_watch(struct lookout *lookout, bool busy);

/* There is something to lose: waits until what is known of a notice is no older than a period.
 * At most ten seconds, less when it is stopped; not at all where nobody is asked. A service that
 * does not answer was asked, too. */
void lookout_settle(struct lookout *lookout);

/* Ends what is under way, and the thread. lookout_watch() may still be called, in vain, and this
 * again. */
void lookout_stop(struct lookout *lookout);
void lookout_free(struct lookout *lookout);
