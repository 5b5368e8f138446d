/* Tested by tests/api/test_batch.py. */
#include "server/runs/trial.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "engine/process/worker.h"
#include "engine/run/batch.h"
#include "engine/run/memory.h"
#include "engine/run/pace.h"
#include "engine/spec/run_spec_text.h"

#define PATIENCE 3 /* the trial has this part of the run's seconds at most */

static long long largest_batch(const struct trial *trial, const struct run_spec *spec)
{
    struct memory_limit limit;

    memory_limit_read("", &limit);
    return trial->ours && limit.bytes > 0 ? memory_largest_batch(spec, spec->threads, limit.bytes)
                                          : -1;
}

/* The shortest step except the first; 0 if the time was over before. */
static enum job_result time_steps(const struct trial *trial, struct worker *worker,
                                  long long deadline_ns, long long *ret_ns,
                                  enum stop_reason *ret_stopped_by)
{
    const struct job_parts *parts = trial->parts;

    for (int steps = 0; steps < BATCH_TRIAL_STEPS;) {
        AUTO(event_clear) struct event event = {0};
        enum worker_read read = worker_next(worker, deadline_ns, parts->wake, &event, NULL);

        if (read == WORKER_FAILED || read == WORKER_FINISHED)
            return JOB_FINISHED;
        if (read == WORKER_QUIET) {
            *ret_stopped_by = job_stop_reason(parts);
            if (*ret_stopped_by != STOP_NONE)
                return JOB_STOPPED;
            if (clock_monotonic_ns() >= deadline_ns)
                return JOB_FINISHED;
        }
        if (read != WORKER_EVENT || event.type != EVENT_STEP)
            continue;
        if (steps++ > 0 && (*ret_ns == 0 || event.step.nanoseconds < *ret_ns))
            *ret_ns = event.step.nanoseconds;
    }
    return JOB_FINISHED;
}

enum job_result trial_run(const struct trial *trial, struct run_spec *spec,
                          enum stop_reason *ret_stopped_by, struct error *err)
{
    const struct run_spec small = batch_trial(spec);
    long long began_ns = clock_monotonic_ns(), step_ns = 0;
    long long deadline_ns = began_ns + spec->max_seconds * NS_PER_SECOND / PATIENCE;
    AUTO(freep) char *text = run_spec_to_text(&small);
    enum job_result result;
    struct worker *worker;
    double seconds;

    worker = worker_start(trial->launch, text, pace_steps_max(&small), err);
    if (!worker)
        return JOB_FAILED;
    result = time_steps(trial, worker, deadline_ns, &step_ns, ret_stopped_by);
    worker_terminate(worker);
    worker_free(worker);
    if (result != JOB_FINISHED)
        return result;
    /* The run repeats the trial's set-up. */
    seconds = (double)spec->max_seconds -
              2 * (double)(clock_monotonic_ns() - began_ns) / (double)NS_PER_SECOND;
    spec->batch_size = step_ns == 0 ? BATCH_LEAST
                                    : batch_choose(spec, (double)step_ns / (double)NS_PER_SECOND,
                                                   seconds, largest_batch(trial, spec));
    return JOB_FINISHED;
}
