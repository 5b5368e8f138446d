/* Times a few steps of a small batch, to choose the batch of a run whose spec says "auto". */
#pragma once

#include "engine/process/spawn.h"
#include "engine/spec/run_spec.h"
#include "server/runs/job_parts.h"

struct trial {
    const struct job_parts *parts;
    const struct launch *launch;
    bool ours; /* our own engine, whose memory we can predict */
};

/* JOB_FINISHED: spec->batch_size is a number. Else as in job_run(). If the worker fails, or needs
 * more than a third of max_seconds, the smallest batch is chosen: the run itself then reports the
 * failure. */
MUST_USE enum job_result trial_run(const struct trial *trial, struct run_spec *spec,
                                   enum stop_reason *ret_stopped_by, struct error *err);
