/* Tested by tests/server/runs/runner_test.c and tests/server/runs/run_end_test.c. */
#include "server/runs/job.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "common/order.h"
#include "db/runs/runs.h"
#include "engine/machine/control_group.h"
#include "engine/machine/proc.h"
#include "engine/process/loaded_libraries.h"
#include "engine/process/preload.h"
#include "engine/process/worker.h"
#include "engine/run/memory.h"
#include "engine/run/pace.h"
#include "engine/spec/run_spec_text.h"
#include "server/runs/conclusion.h"
#include "server/runs/recorder.h"
#include "server/runs/trial.h"

#include <poll.h>
#include <stdint.h>

#define NOTIFY_NS (250 * NS_PER_MS)       /* between two notifications of progress */
#define STORE_AGAIN_MS 500                /* between two tries to store the last steps */
#define TERMINATE_NS (2 * NS_PER_SECOND)  /* for the worker to exit after SIGTERM */
#define OBEY_NS_LEAST (3 * NS_PER_SECOND) /* also in haste: a real worker ends its step first */

struct job {
    const struct job_parts *parts;
    struct run *run;
    struct pace pace;
    struct worker *worker;
    struct recorder recorder;
    bool ours;                 /* our own engine, whose memory we can predict */
    long long memory_kills;    /* of the control group, before the run */
    enum pace_verdict verdict; /* PACE_GO_ON until it was asked to finish */
    enum stop_reason stopped_by;
    long long started_ns, heard_ns, notified_ns, asked_ns;
    long long load_due_ns; /* when the load can be measured */
    long long obey_ns;     /* patience with the worker after asked_ns */
};

/* How long the worker may take to end after it was asked to. */
static long long obey_ns(const struct job *job)
{
    long long hasty_ns = haste_pause(pace_obey_ns(&job->pace));

    return hasty_ns > OBEY_NS_LEAST ? hasty_ns : OBEY_NS_LEAST;
}

static void job_notify(struct job *job, long long now_ns)
{
    struct progress progress = pace_progress(&job->pace, now_ns - job->started_ns);

    notifications_progress(job->parts->notifications, &job->run->id, &progress, now_ns);
    job->notified_ns = now_ns;
}

static void take_hello(struct run *run, const struct event *event)
{
    snprintf(run->software, sizeof run->software, "%s", event->hello.software);
    if (engine_details_are_known(&event->hello.details))
        run->engine_details = engine_details_to_text(&event->hello.details);
}

static void take_done(struct run *run, struct event *event)
{
    run->certified = event->done.certified;
    run->samples = event->done.samples;
    run->peak_memory_bytes = event->done.peak_memory_bytes;
    run->implementations = take(&event->done.implementations);
}

/* Call this after the first step: by then the engine has loaded all its libraries. */
static void look_at_loaded(struct job *job)
{
    struct loaded_libraries loaded;

    loaded_libraries_read("", worker_pid(job->worker), &loaded);
    job->run->loaded = loaded_libraries_to_text(&loaded);
}

static bool take_step(struct job *job, const struct event *event, long long now_ns,
                      struct error *err)
{
    const struct step step = {.nanoseconds = event->step.nanoseconds,
                              .loss = event->step.loss,
                              .split = event->step.split};

    if (job->pace.steps == 0) {
        long long setup_ns = now_ns - job->started_ns - step.nanoseconds;

        job->run->setup_ns = setup_ns > 0 ? setup_ns : 0;
        look_at_loaded(job);
    }
    pace_step(&job->pace, step.nanoseconds);
    if (!recorder_step(&job->recorder, &step, now_ns, err))
        return false;
    if (now_ns - job->notified_ns >= haste_pause(NOTIFY_NS))
        job_notify(job, now_ns);
    return true;
}

static bool take_event(struct job *job, struct event *event, long long now_ns, struct error *err)
{
    job->heard_ns = now_ns;
    switch (event->type) {
    case EVENT_HELLO:
        take_hello(job->run, event);
        return true;
    case EVENT_STEP:
        return take_step(job, event, now_ns, err);
    case EVENT_CANARY:
        recorder_add_reading(&job->recorder, &event->canary);
        return true;
    default:
        take_done(job->run, event);
        return true;
    }
}

/* Records the load of other processes when the run began: from just before the worker's start if
 * it was watched then, else from the begin of its set-up. Never waits. */
static void look_at_load(struct job *job, long long now_ns)
{
    struct load *load = &job->run->load;

    if (load->processors == 0 && now_ns >= job->load_due_ns)
        (void)this_machine_load(job->parts->this_machine, load, &job->load_due_ns);
}

/* Enforces the time limits and stores a batch that is due. False ends the run as failed. */
static bool job_tend(struct job *job, long long now_ns, struct error *err)
{
    enum pace_verdict verdict = pace_judge(&job->pace, now_ns - job->started_ns);

    if (now_ns - job->heard_ns >= job->parts->silence_ns)
        return error_set(err, ERROR_UPSTREAM, NULL, "the worker was silent for %lld seconds",
                         job->parts->silence_ns / NS_PER_SECOND);
    if (job->verdict == PACE_GO_ON && verdict != PACE_GO_ON) {
        job->verdict = verdict;
        job->asked_ns = now_ns;
        job->obey_ns = obey_ns(job);
        worker_enough(job->worker);
        /* Look now: once the worker has exited, there is nothing to look at. */
        recorder_look(&job->recorder, now_ns);
    }
    if (job->verdict != PACE_GO_ON && now_ns - job->asked_ns >= job->obey_ns)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the worker did not end within %lld seconds of being asked to",
                         job->obey_ns / NS_PER_SECOND);
    look_at_load(job, now_ns);
    return recorder_tend(&job->recorder, now_ns, err);
}

static long long next_deadline(const struct job *job)
{
    long long deadline = job->heard_ns + job->parts->silence_ns;

    if (job->verdict == PACE_GO_ON)
        deadline = least_of(deadline, job->started_ns + job->pace.max_ns);
    else
        deadline = least_of(deadline, job->asked_ns + job->obey_ns);
    return least_of(deadline, recorder_due(&job->recorder));
}

static long long memory_kills(void)
{
    struct group_memory group;

    control_group_memory("", &group);
    /* Without a control group, use the machine's count. */
    return group.kills >= 0 ? group.kills : proc_number("", "/proc/vmstat", "oom_kill ", -1);
}

/* SIGKILL means that the kernel ran out of memory if it counted one more such kill, and may mean
 * it if the kernel does not count. We send SIGKILL only to workers that we no longer follow. */
static void explain_kill(struct job *job, struct error *err)
{
    long long kills = memory_kills(), largest = -1, peak;
    struct memory_limit limit;

    if (!worker_was_killed(job->worker, &peak) || (kills >= 0 && kills == job->memory_kills))
        return;
    memory_limit_read("", &limit);
    if (job->ours && limit.bytes > 0)
        largest = memory_largest_batch(&job->run->spec, job->run->spec.threads, limit.bytes);
    error_clear(err);
    memory_explain_kill(&limit, peak, largest, err);
}

/* Asks the worker to exit and waits a moment; worker_free() kills it if it has not. */
static void job_terminate(struct job *job)
{
    long long deadline = clock_monotonic_ns() + haste_pause(TERMINATE_NS);
    enum worker_read read;

    worker_terminate(job->worker);
    do {
        AUTO(event_clear) struct event ignored = {0};

        read = worker_next(job->worker, deadline, -1, &ignored, NULL);
    } while (read == WORKER_EVENT && clock_monotonic_ns() < deadline);
}

/* Drains first: an order that comes after the drain makes `wake` readable again. */

static bool has_to_stop(struct job *job)
{
    job->stopped_by = job_stop_reason(job->parts);
    return job->stopped_by != STOP_NONE;
}

static enum job_result job_follow(struct job *job, struct error *err)
{
    for (;;) {
        AUTO(event_clear) struct event event = {0};
        enum worker_read read =
            worker_next(job->worker, next_deadline(job), job->parts->wake, &event, err);
        long long now_ns = clock_monotonic_ns();

        if (read == WORKER_FINISHED)
            return JOB_FINISHED;
        if (read == WORKER_FAILED) {
            explain_kill(job, err);
            return JOB_FAILED;
        }
        if (read == WORKER_EVENT && !take_event(job, &event, now_ns, err))
            return JOB_FAILED;
        if (read == WORKER_QUIET && has_to_stop(job)) {
            job_terminate(job);
            return JOB_STOPPED;
        }
        if (!job_tend(job, now_ns, err))
            return JOB_FAILED;
    }
}

static bool job_summarize(struct job *job, struct error *err)
{
    AUTO(conclusion_clear) struct conclusion conclusion = {0};
    struct run *run = job->run;

    run->ended_by = pace_verdict_name(job->verdict == PACE_GO_ON ? PACE_ALL_STEPS : job->verdict);
    if (!conclusion_draw(job->parts->db, run, &conclusion, err))
        return false;
    run->summary = conclusion.summary;
    run->validity = conclusion.validity;
    run->summary_text = take(&conclusion.summary_text);
    run->findings = take(&conclusion.findings);
    return true;
}

/* A worker that exits by itself may have sent fewer steps than the spec asks for. */
static bool has_all_steps(const struct job *job, struct error *err)
{
    if (job->verdict != PACE_GO_ON || job->run->spec.steps == FIELD_IS_AUTO)
        return true;
    return error_set(err, ERROR_UPSTREAM, NULL,
                     "the worker ended after %zu steps, before %lld were measured",
                     job->pace.steps, job->run->spec.steps);
}

/* Stores what is pending. A finished run is not measured twice: waits until another process
 * releases its lock, or the owner stops the job. */
static bool store_rest(struct job *job, bool waits, struct error *err)
{
    struct pollfd order = {.fd = job->parts->wake, .events = POLLIN};
    struct error why = {0};

    while (!recorder_flush(&job->recorder, clock_monotonic_ns(), &why)) {
        if (why.kind != ERROR_BUSY || !waits || has_to_stop(job))
            return error_set(err, why.kind, NULL, "%s", why.message);
        error_clear(&why);
        (void)!poll(&order, 1, (int)haste_pause(STORE_AGAIN_MS));
    }
    return true;
}

static enum job_result job_conclude(struct job *job, enum job_result result, struct error *err)
{
    /* Steps are stored however the run ended; only a finished run fails if that fails. */
    bool finished = result == JOB_FINISHED;
    bool stored = store_rest(job, finished, finished ? err : NULL);

    job->run->stderr_tail = worker_last_words(job->worker);
    if (finished && !stored && job->stopped_by != STOP_NONE)
        return JOB_STOPPED;
    if (result == JOB_FINISHED &&
        (!stored || !has_all_steps(job, err) || !job_summarize(job, err)))
        return JOB_FAILED;
    return result;
}

static void job_free(struct job *job)
{
    worker_free(job->worker);
    recorder_free(&job->recorder);
    pace_free(&job->pace);
}

/* Chooses the batch if the spec says "auto": as in another run of the cell, or by a trial. */
static enum job_result settle_batch(struct job *job, const struct launch *launch,
                                    struct error *err)
{
    const struct trial trial = {.parts = job->parts, .launch = launch, .ours = job->ours};
    const struct progress progress = {.phase = "sizing"};
    struct run *run = job->run;
    long long batch = 0;
    enum job_result result;

    if (run->spec.batch_size != FIELD_IS_AUTO)
        return JOB_FINISHED;
    if (!runs_batch_of_cell(job->parts->db, run, &batch, err))
        return JOB_FAILED;
    notifications_progress(job->parts->notifications, &run->id, &progress, clock_monotonic_ns());
    if (batch > 0)
        run->spec.batch_size = batch;
    result = batch > 0 ? JOB_FINISHED : trial_run(&trial, &run->spec, &job->stopped_by, err);
    if (result != JOB_FINISHED)
        return result;
    return runs_settle_spec(job->parts->db, run, err) ? JOB_FINISHED : JOB_FAILED;
}

/* Starts the worker that the spec asks for, and follows it to its end. */
static enum job_result start_and_follow(struct job *job, struct error *err)
{
    const struct job_parts *parts = job->parts;
    struct run *run = job->run;
    const struct engine *engine;
    char preload[PRELOAD_MAX];
    long long began_ns = clock_monotonic_ns();
    struct launch launch = {.run_id = run->id.text, .preload = preload};
    AUTO(freep) char *spec = NULL;
    enum job_result settled;

    engine = engines_find(parts->engines, run->spec.engine, err);
    if (!engine)
        return JOB_FAILED;
    if (has_to_stop(job))
        return JOB_STOPPED;
    if (!preload_find(&run->spec, "", preload, err))
        return JOB_FAILED;
    launch.command = engine->command;
    launch.how = !parts->confine ? CONFINE_LITTLE : engine->ours ? CONFINE_OURS : CONFINE_OTHERS;
    launch.user = engines_user(parts->engines, engine);
    job->ours = engine->ours;
    settled = settle_batch(job, &launch, err);
    if (settled != JOB_FINISHED)
        return settled;
    pace_start(&job->pace, &run->spec, parts->dollars_per_hour);
    pace_shorten(&job->pace, clock_monotonic_ns() - began_ns);
    job->pace.stops_for_little = parts->stops_for_little;
    job->memory_kills = memory_kills();
    look_at_load(job, clock_monotonic_ns());
    spec = run_spec_to_text(&run->spec);
    job->worker = worker_start(&launch, spec, pace_steps_max(&run->spec), err);
    if (!job->worker)
        return JOB_FAILED;
    job->started_ns = job->heard_ns = clock_monotonic_ns();
    job_notify(job, job->started_ns);
    recorder_start(&job->recorder, worker_pid(job->worker), job->started_ns);
    return job_conclude(job, job_follow(job, err), err);
}

enum job_result job_run(const struct job_parts *parts, struct run *run,
                        enum stop_reason *ret_stopped_by, struct error *err)
{
    AUTO(job_free)
    struct job job = {.parts = parts,
                      .run = run,
                      .verdict = PACE_GO_ON,
                      .recorder = {.db = parts->db, .run = run}};
    enum job_result result = start_and_follow(&job, err);

    *ret_stopped_by = job.stopped_by;
    return result;
}
