/* The one thread that runs what is queued, one run at a time: a benchmark must not share the
 * machine. */
#pragma once

#include "common/error.h"
#include "server/config.h"
#include "server/engines.h"
#include "server/here.h"
#include "server/live.h"
#include "server/metrics.h"
#include "server/whoami.h"

#include <stdbool.h>

struct runner;

struct runner_parts {
    const struct config *config;
    const struct engines *engines;
    struct here *here; /* stored by runner_start() */
    struct live *live;
    struct metrics *metrics;
    struct whoami *whoami;
};

/* Closes the orphans of a killed server, kills what is left of their workers, then starts with
 * the queue. */
struct runner *runner_start(const struct runner_parts *parts, struct error *err)
    __attribute__((warn_unused_result));

/* Something was queued. */
void runner_wake(struct runner *runner);

/* Ends the run if it is the one under way; false if it is not. */
bool runner_cancel(struct runner *runner, const char *run_id);

/* Ends the run under way as interrupted, and the thread; the other functions may still be called,
 * in vain. NULL is fine for both. */
void runner_stop(struct runner *runner);
void runner_free(struct runner *runner);

/* No new work is to be accepted. */
bool runner_is_stopping(struct runner *runner);
