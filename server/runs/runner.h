/* The thread that runs the queue, one run at a time: a benchmark must not share the machine. */
#pragma once

#include "common/error.h"
#include "engine/spec/run_id.h"
#include "server/runs/runner_parts.h"

#include <stdbool.h>
#include <stddef.h>

struct runner;

/* Ends runs that a killed server left open, kills their workers, then starts the thread. */
MUST_USE struct runner *runner_start(const struct runner_parts *parts, struct error *err);

/* Call this after queueing a run. */
void runner_wake(struct runner *runner);

/* Call this after a queued run of a sweep was cancelled: it may have been the last one. The sweep
 * is then ended, or goes on, before the next run begins. */
void runner_advance_sweeps(struct runner *runner);

/* Ends the run and returns true, if it is under way; else returns false. */
bool runner_cancel(struct runner *runner, const char *run_id);

/* Handles a preemption notice: ends the current run as preempted, with `why` as its reason, and
 * begins no other. Queued runs stay in the database for the next server on it. A second notice
 * does not change the reason. */
void runner_preempt(struct runner *runner, const char *why);

/* The cloud has withdrawn its notice: runs are begun again. */
void runner_withdraw_preemption(struct runner *runner);

/* Whether a notice stands, and its reason; ret_why may be NULL. */
bool runner_is_preempted(struct runner *runner, char *ret_why, size_t size);

/* Whether a notice stands and no run is under way: queued runs will not run here. */
bool runner_is_drained(struct runner *runner);

/* The run under way; false if there is none. */
bool runner_current(struct runner *runner, struct run_id *ret_id);

/* Ends the current run as interrupted, and the thread. The other functions may still be called
 * and have no effect; this one may be called again. Both accept NULL. */
void runner_stop(struct runner *runner);
void runner_free(struct runner *runner);

/* True if no new work may be accepted. */
bool runner_is_stopping(struct runner *runner);
