/* How a run ended: its state, time and reason. */
#pragma once

#include "engine/run/run.h"
#include "server/runs/job.h"

/* Sets the state, the reason, and the time: now. */
void run_end(struct run *run, enum run_state state, const char *reason);

/* What run_end() needs to know of a job that is over. */
struct job_end {
    enum job_result result;
    enum stop_reason stopped_by; /* of JOB_STOPPED */
    const char *preemption;      /* the cloud's reason, of STOP_PREEMPTED */
    const struct error *failure; /* of JOB_FAILED */
};
void run_end_as_job(struct run *run, const struct job_end *end);
