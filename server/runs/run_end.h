/* How a run ended: its state, time and reason. */
#pragma once

#include "engine/run/run.h"
#include "server/runs/job.h"

/* Sets the state, the reason, and the time; never a time before the run began or was created: the
 * calendar clock may have been set back meanwhile. */
void run_end(struct run *run, enum run_state state, const char *reason, long long ended_us);

/* What run_end() needs to know of a job that is over. */
struct job_end {
    long long lasted_ns; /* by the monotonic clock, since run->started_us */
    enum job_result result;
    enum stop_reason stopped_by; /* of JOB_STOPPED */
    const char *preemption;      /* the cloud's reason, of STOP_PREEMPTED */
    const struct error *failure; /* of JOB_FAILED */
};
void run_end_as_job(struct run *run, const struct job_end *end);
