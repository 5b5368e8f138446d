#include "server/runs/run_end.h"

#include <assert.h>
#include <stdio.h>

void run_end(struct run *run, enum run_state state, const char *reason, long long ended_us)
{
    long long since_us = run->started_us > run->created_us ? run->started_us : run->created_us;

    assert(state != RUN_QUEUED && state != RUN_RUNNING);
    run->state = state;
    run->ended_us = ended_us > since_us ? ended_us : since_us;
    snprintf(run->reason, sizeof run->reason, "%s", reason);
}

static void end_as_stopped(struct run *run, const struct job_end *end)
{
    long long ended_us = run->started_us + end->lasted_ns / 1000;

    assert(end->stopped_by != STOP_NONE);
    switch (end->stopped_by) {
    case STOP_CANCELLED:
        run_end(run, RUN_CANCELLED, "", ended_us);
        break;
    case STOP_PREEMPTED:
        run_end(run, RUN_PREEMPTED, end->preemption, ended_us);
        break;
    default:
        run_end(run, RUN_INTERRUPTED, "the server was stopped during the run", ended_us);
    }
}

void run_end_as_job(struct run *run, const struct job_end *end)
{
    long long ended_us = run->started_us + end->lasted_ns / 1000;

    switch (end->result) {
    case JOB_FINISHED:
        run_end(run, RUN_FINISHED, "", ended_us);
        break;
    case JOB_STOPPED:
        end_as_stopped(run, end);
        break;
    default:
        run_end(run, RUN_FAILED,
                end->failure->kind == ERROR_STORAGE
                    ? "the disk is full: its steps could not be stored"
                    : end->failure->message,
                ended_us);
    }
}
