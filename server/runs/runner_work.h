/* Internals of the runner: its state and its thread. For runner.c and runner_work.c only. */
#pragma once

#include "engine/run/run.h"
#include "server/base/service_thread.h"
#include "server/runs/maintenance.h"
#include "server/runs/preemption_watch.h"
#include "server/runs/readiness.h"
#include "server/runs/runner_parts.h"

/* What the thread does. Each state has one function, which returns the next state. */
enum runner_state {
    RUNNER_HELD,        /* waits for the first runner_wake() */
    RUNNER_CHECKING,    /* may a run begin? Advances the sweeps, too */
    RUNNER_CLAIMING,    /* takes a run from the queue */
    RUNNER_RUNNING,     /* `run` is under way */
    RUNNER_MAINTAINING, /* the queue is empty: the database is maintained */
    RUNNER_IDLE,        /* sleeps until a wake, or until maintenance is due */
    RUNNER_NO_SPACE,    /* sleeps until a wake, or until the disk is looked at again */
    RUNNER_NO_QUEUE,    /* the same, and the queue could not be read */
    RUNNER_STOPPED
};

struct runner {
    struct runner_parts parts;
    struct service_thread thread;
    struct preemption_watch *watch;
    int wake; /* an eventfd: readable when something below has changed during a run */

    /* Under the thread's lock: */
    struct run_id current;  /* "" unless the state is RUNNER_RUNNING */
    bool woken;             /* since the queue was last read */
    bool cancelled;         /* the current run is to end */
    bool preempted;         /* the cloud takes this machine back */
    bool sweeps_changed;    /* another thread has ended a queued run of a sweep */
    char preemption[160];   /* its reason, kept after a withdrawal */
    struct db *verified_db; /* `db` while maintenance reads all of it, else NULL */

    /* The thread's own: */
    enum runner_state state;
    struct db *db;
    struct run run;       /* in RUNNER_RUNNING */
    long long claimed_ns; /* when, by the monotonic clock */
    struct readiness readiness;
    struct maintenance maintenance;
    bool sweeps_due;         /* all sweeps must be advanced */
    struct run_id due_sweep; /* this sweep must be advanced; "" none */
    bool sweeps_reported;
};

/* What struct maintenance_watch calls with the database that maintenance reads: a wake or a stop
 * interrupts that. */
void runner_note_verified_db(void *user, struct db *db);

bool runner_is_confining(const struct config *config);

/* The thread: from RUNNER_HELD to RUNNER_STOPPED. */
void *runner_work(void *user);
