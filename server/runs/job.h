/* Runs one worker from start to end: follows its events, stores its steps, enforces its limits.
 */
#pragma once

#include "engine/run/run.h"
#include "server/runs/job_parts.h"

/* However the job ends, it also fills run->steps, run->stderr_tail and what the worker reported.
 */
MUST_USE enum job_result job_run(const struct job_parts *parts, struct run *run,
                                 enum stop_reason *ret_stopped_by, struct error *err);
