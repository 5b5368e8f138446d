/* Tested by tests/server/runs/runner_test.c. */
#include "server/runs/runner_work.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "db/damage.h"
#include "db/runs/runs.h"
#include "server/base/log.h"
#include "server/runs/job.h"
#include "server/runs/run_cost.h"
#include "server/runs/run_end.h"
#include "server/runs/sweeper.h"

#include <assert.h>
#include <limits.h>

#define STORE_AGAIN_NS (5 * NS_PER_SECOND) /* between two tries to store the end of a run */
#define RETRY_NS (30 * NS_PER_SECOND)      /* between two tries: free space, the queue, sweeps */

/* With the lock held: why the current run has to end. A cancel comes first, then a preemption,
 * because it explains the shutdown that follows. */
static enum stop_reason find_stop_reason(const struct runner *runner)
{
    if (runner->cancelled)
        return STOP_CANCELLED;
    if (runner->preempted)
        return STOP_PREEMPTED;
    return runner->thread.stopping ? STOP_SHUTDOWN : STOP_NONE;
}

static enum stop_reason stop_reason(void *user)
{
    struct runner *runner = user;
    enum stop_reason reason;

    service_thread_lock(&runner->thread);
    reason = find_stop_reason(runner);
    service_thread_unlock(&runner->thread);
    return reason;
}

static bool is_preempted(struct runner *runner)
{
    service_thread_lock(&runner->thread);
    bool preempted = runner->preempted;
    service_thread_unlock(&runner->thread);
    return preempted;
}

/* With the lock held. Returns false when the server stops. */
static bool wait_to_store_again(struct runner *runner)
{
    long long when_ns = clock_monotonic_ns() + haste_pause(STORE_AGAIN_NS);

    while (clock_monotonic_ns() < when_ns && service_thread_wait(&runner->thread, when_ns))
        continue;
    return !runner->thread.stopping;
}

/* Stores the end of the run, with the lock held, and tries again until it is stored: a result is
 * not measured twice. Gives up where no try can succeed: the run is no longer running, or the
 * database is damaged. A server that stops leaves the run open; the next start closes it as an
 * orphan. */
static void store_end(struct runner *runner)
{
    const struct run *run = &runner->run;
    struct error err = {0};
    bool reported = false;

    while (!runs_end(runner->db, run, &err)) {
        if (!reported)
            log_line(LOG_ERROR, "run %s: its end could not be stored: %s", run->id.text,
                     err.message);
        reported = true;
        if (err.kind == ERROR_CONFLICT || err.kind == ERROR_DAMAGED || db_is_damaged() ||
            !wait_to_store_again(runner))
            return;
        error_clear(&err);
    }
    log_line(LOG_INFO, "run %s state=%s steps=%lld", run->id.text, run_state_name(run->state),
             run->steps);
}

bool runner_is_confining(const struct config *config)
{
    return strcmp(config->confine, "on") == 0;
}

static void runner_measure(struct runner *runner)
{
    struct run *run = &runner->run;
    struct error err = {0};
    struct run_cost cost;
    char preemption[sizeof runner->preemption];
    struct job_parts parts = {.db = runner->db,
                              .engines = runner->parts.engines,
                              .this_machine = runner->parts.this_machine,
                              .notifications = runner->parts.notifications,
                              .silence_ns = runner->parts.config->silence_seconds * NS_PER_SECOND,
                              .stops_for_little = runner->parts.stops_for_little,
                              .confine = runner_is_confining(runner->parts.config),
                              .wake = runner->wake,
                              .stop_reason = stop_reason,
                              .user = runner};
    struct job_end end = {.preemption = preemption, .failure = &err};

    run_cost_look(runner->parts.this_machine, runner->db, run, &cost);
    parts.dollars_per_hour = cost.price.known ? cost.price.dollars : 0;
    end.result = job_run(&parts, run, &end.stopped_by, &err);
    service_thread_lock(&runner->thread);
    memcpy(preemption, runner->preemption, sizeof preemption);
    service_thread_unlock(&runner->thread);
    end.lasted_ns = clock_monotonic_ns() - runner->claimed_ns;
    run_end_as_job(run, &end);
    if (end.result == JOB_FAILED)
        metrics_worker_failed(runner->parts.metrics);
    run_cost_follow(runner->parts.this_machine, runner->db, run, &cost);
    run_cost_keep(run, &cost, runner->parts.this_machine);
}

/* Waits until the first wake, if the caller asked for it. */
static enum runner_state runner_hold(struct runner *runner)
{
    bool stopping;

    service_thread_lock(&runner->thread);
    while (runner->parts.waits && !runner->woken &&
           service_thread_wait(&runner->thread, LLONG_MAX))
        continue;
    stopping = runner->thread.stopping;
    service_thread_unlock(&runner->thread);
    maintenance_start(&runner->maintenance, clock_monotonic_ns());
    return stopping ? RUNNER_STOPPED : RUNNER_CHECKING;
}

/* Whether there is a sweep to advance. */
static bool sweeps_are_due(struct runner *runner)
{
    service_thread_lock(&runner->thread);
    runner->sweeps_due = runner->sweeps_due || runner->sweeps_changed;
    runner->sweeps_changed = false;
    service_thread_unlock(&runner->thread);
    return runner->sweeps_due || runner->due_sweep.text[0];
}

/* Advances the sweep of the ended run; if that is unknown, all sweeps, which is slow. A failure
 * is logged once and tried again. On a preempted machine nothing is queued again: another machine
 * does that. */
static void advance_sweeps(struct runner *runner)
{
    const struct sweeper_parts parts = {.db = runner->db,
                                        .here = runner->parts.this_machine,
                                        .notifications = runner->parts.notifications,
                                        .repeats = runner->parts.repeats};
    struct error err = {0};

    if (!sweeps_are_due(runner) || !runner->readiness.prepared || is_preempted(runner))
        return;
    runner->sweeps_due = runner->sweeps_due ? !sweeper_advance_all(&parts, &err)
                                            : !sweeper_advance(&parts, &runner->due_sweep, &err);
    runner->due_sweep.text[0] = '\0';
    if (runner->sweeps_due && !runner->sweeps_reported)
        log_line(LOG_ERROR, "sweeps could not be carried on: %s", err.message);
    runner->sweeps_reported = runner->sweeps_due;
}

/* If two sweeps wait to be advanced, all are. */
static void note_sweep(struct runner *runner, const struct run_id *sweep)
{
    if (!sweep->text[0])
        return;
    if (runner->due_sweep.text[0] && strcmp(runner->due_sweep.text, sweep->text) != 0)
        runner->sweeps_due = true;
    runner->due_sweep = *sweep;
}

static enum runner_state runner_check(struct runner *runner)
{
    bool ready = readiness_check(&runner->readiness);

    advance_sweeps(runner);
    return ready ? RUNNER_CLAIMING : RUNNER_NO_SPACE;
}

/* Claims under the lock, so that a cancel finds either a queued run or the current one. First
 * asks for a fresh preemption notice: a run begun on a machine that is taken back is lost, and an
 * ordinary run is not queued again. */
static enum runner_state runner_claim(struct runner *runner)
{
    enum runner_state next = RUNNER_MAINTAINING;
    struct error err = {0};
    bool found = false;

    if (readiness_has_queue(&runner->readiness))
        preemption_watch_settle(runner->watch);
    service_thread_lock(&runner->thread);
    runner->woken = runner->cancelled = false;
    if (find_stop_reason(runner) == STOP_NONE &&
        !runs_claim(runner->db, clock_calendar_us(), runner->parts.this_machine->number,
                    &runner->run, &found, &err)) {
        log_line(LOG_ERROR, "cannot take a run from the queue: %s", err.message);
        runner->woken = err.kind == ERROR_BUSY;
        next = RUNNER_NO_QUEUE;
    }
    if (found) {
        runner->current = runner->run.id;
        runner->claimed_ns = clock_monotonic_ns();
        next = RUNNER_RUNNING;
    }
    service_thread_unlock(&runner->thread);
    return next;
}

/* Readers of the run, and of the sweep that it belongs to. */
static void runner_tell(struct notifications *notifications, const struct run *run)
{
    long long now_ns = clock_monotonic_ns();

    notifications_tell(notifications, run->id.text, now_ns);
    if (run->sweep.text[0])
        notifications_publish(notifications, &(struct topic){TOPIC_SWEEP, run->sweep}, now_ns);
}

static enum runner_state run_claimed(struct runner *runner)
{
    struct notifications *notifications = runner->parts.notifications;
    struct run *run = &runner->run;
    bool preempted;

    assert(runner->current.text[0]);
    log_line(LOG_INFO, "run %s state=running", run->id.text);
    runner_tell(notifications, run);
    metrics_worker_started(runner->parts.metrics);
    runner_measure(runner);
    /* The end is stored and the current run cleared under one lock: a cancel that comes too late
     * finds a run that has ended. */
    service_thread_lock(&runner->thread);
    store_end(runner);
    runner->current.text[0] = '\0';
    preempted = runner->preempted;
    service_thread_unlock(&runner->thread);
    if (preempted)
        notifications_tell_all(notifications, clock_monotonic_ns());
    else
        runner_tell(notifications, run);
    note_sweep(runner, &run->sweep);
    run_clear(run);
    maintenance_wait(&runner->maintenance, clock_monotonic_ns());
    return RUNNER_CHECKING;
}

static enum runner_state runner_maintain(struct runner *runner)
{
    preemption_watch_watch(runner->watch, false);
    maintenance_work(&runner->maintenance, runner->db, clock_monotonic_ns(), clock_calendar_us());
    return RUNNER_IDLE;
}

void runner_note_verified_db(void *user, struct db *db)
{
    struct runner *runner = user;

    service_thread_lock(&runner->thread);
    runner->verified_db = db;
    if (db && (runner->woken || runner->thread.stopping))
        db_interrupt(db);
    service_thread_unlock(&runner->thread);
}

static enum runner_state sleep_until(struct runner *runner, long long when_ns)
{
    bool stopping;

    preemption_watch_watch(runner->watch, false);
    service_thread_lock(&runner->thread);
    while (!runner->woken && clock_monotonic_ns() < when_ns &&
           service_thread_wait(&runner->thread, when_ns))
        continue;
    runner->woken = false;
    stopping = runner->thread.stopping;
    service_thread_unlock(&runner->thread);
    return stopping ? RUNNER_STOPPED : RUNNER_CHECKING;
}

static enum runner_state runner_idle(struct runner *runner)
{
    long long when_ns = runner->maintenance.due_ns;
    long long retry_ns = clock_monotonic_ns() + haste_pause(RETRY_NS);

    if (runner->sweeps_due && retry_ns < when_ns && !db_is_damaged() && !is_preempted(runner))
        when_ns = retry_ns;
    return sleep_until(runner, when_ns);
}

static enum runner_state wait_for_space(struct runner *runner)
{
    return sleep_until(runner, clock_monotonic_ns() + haste_pause(RETRY_NS));
}

/* A damaged database does not heal by waiting: only a wake leads to another try. */
static enum runner_state wait_for_queue(struct runner *runner)
{
    return sleep_until(runner, db_is_damaged() ? LLONG_MAX
                                               : clock_monotonic_ns() + haste_pause(RETRY_NS));
}

#define STATE(name) (1u << RUNNER_##name)
static const struct {
    enum runner_state (*act)(struct runner *runner);
    unsigned next; /* the states that may follow */
} states[RUNNER_STOPPED] = {
    [RUNNER_HELD] = {runner_hold, STATE(CHECKING) | STATE(STOPPED)},
    [RUNNER_CHECKING] = {runner_check, STATE(CLAIMING) | STATE(NO_SPACE)},
    [RUNNER_CLAIMING] = {runner_claim, STATE(RUNNING) | STATE(MAINTAINING) | STATE(NO_QUEUE)},
    [RUNNER_RUNNING] = {run_claimed, STATE(CHECKING)},
    [RUNNER_MAINTAINING] = {runner_maintain, STATE(IDLE)},
    [RUNNER_IDLE] = {runner_idle, STATE(CHECKING) | STATE(STOPPED)},
    [RUNNER_NO_SPACE] = {wait_for_space, STATE(CHECKING) | STATE(STOPPED)},
    [RUNNER_NO_QUEUE] = {wait_for_queue, STATE(CHECKING) | STATE(STOPPED)},
};

void *runner_work(void *user)
{
    struct runner *runner = user;

    while (runner->state != RUNNER_STOPPED) {
        enum runner_state next = states[runner->state].act(runner);

        assert(states[runner->state].next & 1u << next);
        runner->state = next;
    }
    assert(!runner->current.text[0]);
    return NULL;
}
