#include "server/job.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/step_rows.h"
#include "engine/pace.h"
#include "engine/preload.h"
#include "engine/worker.h"

#include <stdint.h>

#define FLUSH_STEPS 1024                 /* steps kept in memory before they are stored */
#define FLUSH_NS NS_PER_SECOND           /* and for how long */
#define TELL_NS (250 * NS_PER_MS)        /* watchers hear of progress at most this often */
#define OBEY_NS (15 * NS_PER_SECOND)     /* time to finish when asked to */
#define TERMINATE_NS (2 * NS_PER_SECOND) /* time to die of SIGTERM */

struct job {
    const struct job_parts *parts;
    struct run *run;
    struct run_spec spec;
    struct pace pace;
    struct worker *worker;
    struct steps pending;      /* not stored yet */
    enum pace_verdict verdict; /* PACE_GO_ON until it was asked to finish */
    long long started_ns, heard_ns, flushed_ns, told_ns, asked_ns;
};

static bool flush(struct job *job, long long now_ns, struct error *err)
{
    struct run *run = job->run;

    if (!step_rows_append(job->parts->db, run->number, run->steps, job->pending.items,
                          job->pending.count, err))
        return false;
    run->steps += (long long)job->pending.count;
    job->pending.count = 0;
    job->flushed_ns = now_ns;
    return true;
}

static void tell(struct job *job, long long now_ns)
{
    struct progress progress = pace_progress(&job->pace, now_ns - job->started_ns);

    live_progress(job->parts->live, &job->run->id, &progress, now_ns);
    job->told_ns = now_ns;
}

static bool take_hello(struct run *run, const struct event *event, struct error *err)
{
    snprintf(run->software, sizeof run->software, "%s", event->hello.software);
    if (!engine_details_are_told(&event->hello.details))
        return true;
    run->engine_details = engine_details_to_text(&event->hello.details);
    return run->engine_details || error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

static void take_done(struct run *run, struct event *event)
{
    run->samples = event->done.samples;
    run->peak_memory_bytes = event->done.peak_memory_bytes;
    run->implementations = take(&event->done.implementations);
}

static bool take_event(struct job *job, struct event *event, long long now_ns, struct error *err)
{
    job->heard_ns = now_ns;
    if (event->type == EVENT_HELLO)
        return take_hello(job->run, event, err);
    if (event->type == EVENT_DONE)
        take_done(job->run, event);
    if (event->type != EVENT_STEP)
        return true;
    pace_step(&job->pace, event->step.nanoseconds);
    if (!steps_add(&job->pending, (struct step){.nanoseconds = event->step.nanoseconds,
                                                .loss = event->step.loss,
                                                .split = event->step.split}))
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    if (now_ns - job->told_ns >= TELL_NS)
        tell(job, now_ns);
    return job->pending.count < FLUSH_STEPS || flush(job, now_ns, err);
}

/* Whatever time asks for: silence, limits, batches. False ends the run as failed. */
static bool tend(struct job *job, long long now_ns, struct error *err)
{
    enum pace_verdict verdict = pace_judge(&job->pace, now_ns - job->started_ns);

    if (now_ns - job->heard_ns >= job->parts->silence_ns)
        return error_set(err, ERROR_UPSTREAM, NULL, "the worker was silent for %lld seconds",
                         job->parts->silence_ns / NS_PER_SECOND);
    if (job->verdict == PACE_GO_ON && verdict != PACE_GO_ON) {
        job->verdict = verdict;
        job->asked_ns = now_ns;
        worker_enough(job->worker);
    }
    if (job->verdict != PACE_GO_ON && now_ns - job->asked_ns >= OBEY_NS)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the worker did not end within %lld seconds of being asked to",
                         OBEY_NS / NS_PER_SECOND);
    if (job->pending.count > 0 && now_ns - job->flushed_ns >= FLUSH_NS)
        return flush(job, now_ns, err);
    return true;
}

static long long earlier(long long left, long long right)
{
    return left < right ? left : right;
}

static long long next_deadline(const struct job *job)
{
    long long deadline = job->heard_ns + job->parts->silence_ns;

    if (job->verdict == PACE_GO_ON)
        deadline = earlier(deadline, job->started_ns + job->pace.max_ns);
    else
        deadline = earlier(deadline, job->asked_ns + OBEY_NS);
    if (job->pending.count > 0)
        deadline = earlier(deadline, job->flushed_ns + FLUSH_NS);
    return deadline;
}

/* Asks the worker to go and gives it a moment; worker_free() does the rest. */
static void terminate(struct job *job)
{
    long long deadline = clock_monotonic_ns() + TERMINATE_NS;
    enum worker_read read;

    worker_terminate(job->worker);
    do {
        AUTO(event_clear) struct event ignored = {0};

        read = worker_next(job->worker, deadline, -1, &ignored, NULL);
    } while (read == WORKER_EVENT && clock_monotonic_ns() < deadline);
}

static void drain(int wake)
{
    uint64_t rings;

    (void)!read(wake, &rings, sizeof rings);
}

static enum job_result follow(struct job *job, struct error *err)
{
    for (;;) {
        AUTO(event_clear) struct event event = {0};
        enum worker_read read =
            worker_next(job->worker, next_deadline(job), job->parts->wake, &event, err);
        long long now_ns = clock_monotonic_ns();

        if (read == WORKER_FINISHED)
            return JOB_FINISHED;
        if (read == WORKER_FAILED)
            return JOB_FAILED;
        if (read == WORKER_EVENT && !take_event(job, &event, now_ns, err))
            return JOB_FAILED;
        if (read == WORKER_QUIET) {
            enum job_order order;

            drain(job->parts->wake);
            order = job->parts->orders(job->parts->user);
            if (order != JOB_GO_ON) {
                terminate(job);
                return order == JOB_CANCEL ? JOB_CANCELLED : JOB_STOPPED;
            }
        }
        if (!tend(job, now_ns, err))
            return JOB_FAILED;
    }
}

static bool summarize(struct job *job, struct error *err)
{
    AUTO(steps_free) struct steps steps = {0};
    struct run *run = job->run;

    run->ended_by = pace_verdict_name(job->verdict == PACE_GO_ON ? PACE_ALL_STEPS : job->verdict);
    return step_rows_load(job->parts->db, run->number, 0, run->steps, &steps, err) &&
           summary_compute(&steps, (size_t)pace_warmup_steps(&job->spec), job->spec.batch_size,
                           &run->summary, err);
}

/* A worker may end by itself, unasked, before it has sent all steps of a fixed number. */
static bool has_all_steps(const struct job *job, struct error *err)
{
    long long wanted = pace_steps_max(&job->spec);

    if (job->verdict != PACE_GO_ON || job->spec.steps == FIELD_IS_AUTO ||
        job->pace.steps == wanted)
        return true;
    return error_set(err, ERROR_UPSTREAM, NULL, "the worker ended after %lld of %lld steps",
                     job->pace.steps, wanted);
}

static enum job_result conclude(struct job *job, enum job_result result, struct error *err)
{
    /* What was measured is kept however it ended; only a good end depends on it. */
    bool stored = flush(job, clock_monotonic_ns(), result == JOB_FINISHED ? err : NULL);

    job->run->stderr_tail = worker_last_words(job->worker);
    if (result == JOB_FINISHED && (!stored || !has_all_steps(job, err) || !summarize(job, err)))
        return JOB_FAILED;
    return result;
}

static void job_free(struct job *job)
{
    worker_free(job->worker);
    steps_free(&job->pending);
}

enum job_result job_run(const struct job_parts *parts, struct run *run, struct error *err)
{
    AUTO(job_free) struct job job = {.parts = parts, .run = run, .verdict = PACE_GO_ON};
    const struct engine *engine;
    enum job_order order;
    char preload[PRELOAD_MAX];

    if (!run_spec_from_text(run->spec_text, strlen(run->spec_text), &job.spec, err))
        return JOB_FAILED;
    engine = engines_find(parts->engines, job.spec.engine, err);
    if (!engine)
        return JOB_FAILED;
    /* In this order: whatever is ordered after the drain will ring again. */
    drain(parts->wake);
    order = parts->orders(parts->user);
    if (order != JOB_GO_ON)
        return order == JOB_CANCEL ? JOB_CANCELLED : JOB_STOPPED;
    pace_start(&job.pace, &job.spec);
    if (!preload_find(&job.spec, "", preload, err))
        return JOB_FAILED;
    job.worker = worker_start(engine->command, run->id.text, run->spec_text, preload,
                              pace_steps_max(&job.spec), err);
    if (!job.worker)
        return JOB_FAILED;
    job.started_ns = job.heard_ns = job.flushed_ns = clock_monotonic_ns();
    tell(&job, job.started_ns);
    return conclude(&job, follow(&job, err), err);
}
