/* One worker process, seen from outside. The life of a worker:
 *
 *   worker_start()      it has its spec on stdin and is the leader of its own process group
 *   worker_next() ...   its events, in the allowed order, until it finished or failed
 *   worker_enough()     asks it to finish after the current step (a second line on stdin)
 *   worker_terminate()  asks its whole group to go (SIGTERM)
 *   worker_free()       kills what is left of the group, reaps, frees
 *
 * It never outlives us: the kernel kills it when the thread that called worker_start() is gone,
 * so that thread must live until the process ends. */
#pragma once

#include "common/error.h"
#include "engine/process/spawn.h"
#include "engine/protocol/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct worker; /* opaque: pid, pipes and half-read lines live in worker.c */

enum worker_read {
    WORKER_EVENT,    /* *ret_event is filled; the caller clears it */
    WORKER_QUIET,    /* timeout, or `wake` became readable */
    WORKER_FINISHED, /* clean end: exit status 0 after a "done" event */
    WORKER_FAILED,   /* crash, garbage or protocol error; err says which */
};

/* Starts a command with the spec as one line on its stdin, confined as in confine.h. The
 * environment is ours without PENNYWORTH_ variables, which may hold secrets, plus
 * PENNYWORTH_RUN=run_id, and with `preload` first in LD_PRELOAD unless it is "". The caller frees
 * the result with worker_free(). */
MUST_USE struct worker *worker_start(const struct launch *launch, const char *spec_text,
                                     long long steps_max, struct error *err);

/* Waits for the next event, at most until `deadline_ns` (monotonic), or until the descriptor
 * `wake` (or -1) becomes readable. */
MUST_USE enum worker_read worker_next(struct worker *worker, long long deadline_ns, int wake,
                                      struct event *ret_event, struct error *err);

/* The pid of its process, which leads its process group. */
pid_t worker_pid(const struct worker *worker);

/* Whether SIGKILL ended it, as the kernel does when memory runs out; then also its peak
 * memory. */
bool worker_was_killed(const struct worker *worker, long long *ret_peak_bytes);

void worker_enough(struct worker *worker);
void worker_terminate(struct worker *worker);

/* The last bytes of its stderr, as clean UTF-8; NULL if none. The caller frees it. */
char *worker_last_words(const struct worker *worker);

/* NULL is fine. */
void worker_free(struct worker *worker);
