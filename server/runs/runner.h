/* The one thread that runs what is queued, one run at a time: a benchmark must not share the
 * machine. */
#pragma once

#include "common/error.h"
#include "server/base/config.h"
#include "server/base/metrics.h"
#include "server/base/notifications.h"
#include "server/base/this_machine.h"
#include "server/runs/engines.h"
#include "server/runs/sweeper.h"

#include <stdbool.h>

struct runner;

struct runner_parts {
    const struct config *config;
    const struct engines *engines;
    struct this_machine *here; /* stored by runner_start() */
    struct notifications *notifications;
    struct metrics *metrics;
    bool waits;            /* takes nothing from the queue before the first runner_wake() */
    bool stops_for_little; /* runs end when more time buys little: see PACE_LITTLE_MORE */
    const struct sweeper_repeats *repeats; /* NULL: none; fixed from the first runner_wake() on */
};

/* Closes the orphans of a killed server, kills what is left of their workers, then starts with
 * the queue. */
struct runner *runner_start(const struct runner_parts *parts, struct error *err)
    __attribute__((warn_unused_result));

/* Something was queued. */
void runner_wake(struct runner *runner);

/* Ends the run if it is the one under way; false if it is not. */
bool runner_cancel(struct runner *runner, const char *run_id);

/* The cloud takes this machine back: the run under way ends as preempted, with `why` for its
 * reason, and no other is begun. What is queued stays on the disk, for whoever starts with this
 * database again, or until runner_stay(). The first reason is the one that stays. */
void runner_leave(struct runner *runner, const char *why);

/* That is no longer so: what is queued is begun again. */
void runner_stay(struct runner *runner);

/* Whether it is being taken back, and why; ret_why may be NULL. */
bool runner_is_leaving(struct runner *runner, char *ret_why, size_t size);

/* Whether it is, and no run is under way any more: nothing that waits will be run here. */
bool runner_has_left(struct runner *runner);
/* Which run is under way; false when none is. */
bool runner_current(struct runner *runner, struct run_id *ret_id);

/* Ends the run under way as interrupted, and the thread; the other functions may still be called,
 * in vain, and this one again. NULL is fine for both. */
void runner_stop(struct runner *runner);
void runner_free(struct runner *runner);

/* No new work is to be accepted. */
bool runner_is_stopping(struct runner *runner);
