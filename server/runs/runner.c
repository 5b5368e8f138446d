#include "server/runs/runner.h"

#include "common/cleanup.h"
#include "common/condition.h"
#include "db/runs.h"
#include "engine/process/confine.h"
#include "server/base/disk_reserve.h"
#include "server/base/log.h"
#include "server/runs/job.h"
#include "server/runs/maintenance.h"
#include "server/runs/orphans.h"
#include "server/runs/preemption_watch.h"
#include "server/runs/run_cost.h"
#include "server/runs/sweeper.h"

#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>

#define STORE_AGAIN_NS (5 * NS_PER_SECOND) /* an end that could not be stored is stored again */
#define ROOM_NS (30 * NS_PER_SECOND)       /* and room for new runs is looked for */

struct runner {
    struct runner_parts parts;
    struct db *db; /* the thread's own */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct run_id current;          /* "" between runs */
    struct maintenance maintenance; /* the thread's own */
    bool woken, stopping, cancelling, leaving;
    char why[160];        /* it is leaving, or was */
    struct db *looked_at; /* `db` while the keeper reads all of it, else NULL */
    bool joined;
    bool prepared, waits_for_room, sweeps_due, sweeps_told, claim_failed; /* the thread's own */
    struct preemption_watch *watch;
    int wake; /* an eventfd: readable when a flag above was set during a run */
};

static void set_end(struct run *run, enum run_state state, const char *reason)
{
    run->state = state;
    run->ended_us = clock_calendar_us();
    snprintf(run->reason, sizeof run->reason, "%s", reason);
}

/* With the lock held: gives others a moment, or makes room. False when the server stops. */
static bool try_again(struct runner *runner)
{
    long long when_ns = clock_monotonic_ns() + STORE_AGAIN_NS;

    while (!runner->stopping && clock_monotonic_ns() < when_ns)
        condition_wait(&runner->changed, &runner->lock, when_ns);
    return !runner->stopping;
}

/* Stores the end of a run, with the lock held. What could not be stored is kept and stored again
 * until it can be: a summary is not measured twice. Only of a run that is no longer running, or
 * in a damaged database, there is nothing to hope for; and a server that stops leaves the run to
 * the next start, which closes it as an orphan. */
static void store_end(struct runner *runner, const struct run *run)
{
    struct error err = {0};
    bool told = false;

    while (!runs_end(runner->db, run, &err)) {
        if (!told)
            log_line(LOG_ERROR, "run %s: its end could not be stored: %s", run->id.text,
                     err.message);
        told = true;
        if (err.kind == ERROR_CONFLICT || err.kind == ERROR_DAMAGED || db_is_damaged() ||
            !try_again(runner))
            return;
        error_clear(&err);
    }
    log_line(LOG_INFO, "run %s state=%s steps=%lld", run->id.text, run_state_name(run->state),
             run->steps);
}

/* What the first run waits for. A full disk keeps nobody from reading, so the server starts on
 * one and this is done when there is room. */
static bool prepare(struct runner *runner, struct error *err)
{
    if (!runner->prepared)
        runner->prepared = runner->sweeps_due =
            this_machine_store(runner->parts.here, runner->db, err) &&
            orphans_close(runner->db, err);
    return runner->prepared;
}

/* Whether a run is queued: none waits where none is too many. */
static bool is_awaited(struct runner *runner)
{
    return !runs_check_room(runner->db, 0, 0, NULL);
}

/* Whether a run may begin. Told once, and only when one waits. */
static bool has_room(struct runner *runner)
{
    struct error err = {0};
    bool room = disk_reserve_check(runner->parts.config, &err) && prepare(runner, &err);

    if (!room && !runner->waits_for_room && is_awaited(runner)) {
        log_line(LOG_ERROR, "no run is begun: %s", err.message);
        runner->waits_for_room = true;
    }
    if (room && runner->waits_for_room) {
        log_line(LOG_INFO, "there is room again: runs are begun");
        runner->waits_for_room = false;
    }
    return room;
}

/* Before a run is taken from the queue: on a machine that is being taken back it would only be
 * lost, and an ordinary run is not queued again. */
static void look_out(struct runner *runner)
{
    if (is_awaited(runner))
        preemption_watch_settle(runner->watch);
}

/* Takes the next run. Under the lock, so that a cancel finds either a queued run or a current
 * one. */
static bool claim(struct runner *runner, struct run *ret_run)
{
    struct error err = {0};
    bool found = false;

    pthread_mutex_lock(&runner->lock);
    runner->woken = runner->claim_failed = false;
    if (!runner->stopping && !runner->leaving &&
        !runs_claim(runner->db, clock_calendar_us(), runner->parts.here->number, ret_run, &found,
                    &err)) {
        log_line(LOG_ERROR, "cannot take a run from the queue: %s", err.message);
        runner->woken = err.kind == ERROR_BUSY;
        runner->claim_failed = true;
    }
    if (found) {
        runner->current = ret_run->id;
        runner->cancelling = false;
    }
    pthread_mutex_unlock(&runner->lock);
    return found;
}

static enum job_order orders(void *user)
{
    struct runner *runner = user;
    enum job_order order = JOB_GO_ON;

    pthread_mutex_lock(&runner->lock);
    if (runner->cancelling)
        order = JOB_CANCEL;
    else if (runner->leaving)
        order = JOB_LEAVE;
    else if (runner->stopping)
        order = JOB_STOP;
    pthread_mutex_unlock(&runner->lock);
    return order;
}

static void set_result(struct runner *runner, struct run *run, enum job_result result,
                       const struct error *err)
{
    switch (result) {
    case JOB_FINISHED:
        set_end(run, RUN_FINISHED, "");
        break;
    case JOB_CANCELLED:
        set_end(run, RUN_CANCELLED, "");
        break;
    case JOB_STOPPED:
        set_end(run, RUN_INTERRUPTED, "the server was stopped during the run");
        break;
    case JOB_LEFT:
        pthread_mutex_lock(&runner->lock);
        set_end(run, RUN_PREEMPTED, runner->why);
        pthread_mutex_unlock(&runner->lock);
        break;
    default:
        metrics_worker_failed(runner->parts.metrics);
        set_end(run, RUN_FAILED,
                err->kind == ERROR_STORAGE ? "the disk is full: its steps could not be stored"
                                           : err->message);
    }
}

static bool is_confining(const struct config *config)
{
    return strcmp(config->confine, "on") == 0;
}

static void run_one(struct runner *runner, struct run *run)
{
    struct error err = {0};
    struct run_cost cost;
    bool leaving;
    struct job_parts parts = {.db = runner->db,
                              .engines = runner->parts.engines,
                              .notifications = runner->parts.notifications,
                              .silence_ns = runner->parts.config->silence_seconds * NS_PER_SECOND,
                              .stops_for_little = runner->parts.stops_for_little,
                              .confine = is_confining(runner->parts.config),
                              .wake = runner->wake,
                              .orders = orders,
                              .user = runner};

    log_line(LOG_INFO, "run %s state=running", run->id.text);
    notifications_tell(runner->parts.notifications, run->id.text, clock_monotonic_ns());
    metrics_worker_started(runner->parts.metrics);
    run_cost_look(runner->parts.here, runner->db, run, &cost);
    parts.dollars_per_hour = cost.price.known ? cost.price.dollars : 0;
    set_result(runner, run, job_run(&parts, run, &err), &err);
    run_cost_keep(run, &cost, runner->parts.here);
    /* The end is stored and the name given up at once: a cancel that comes too late finds a run
     * that has ended. */
    pthread_mutex_lock(&runner->lock);
    store_end(runner, run);
    runner->current.text[0] = '\0';
    leaving = runner->leaving;
    pthread_mutex_unlock(&runner->lock);
    if (leaving)
        notifications_tell_all(runner->parts.notifications, clock_monotonic_ns());
    else
        notifications_tell(runner->parts.notifications, run->id.text, clock_monotonic_ns());
}

/* Whatever goes wrong here is tried again, and told once. Not on a machine that is taken back:
 * what it interrupted is another's to try. */
static void advance_sweeps(struct runner *runner)
{
    struct error err = {0};

    if (!runner->sweeps_due || runner_is_leaving(runner, NULL, 0))
        return;
    runner->sweeps_due = !sweeper_advance(
        runner->db, runner->parts.here, runner->parts.notifications, runner->parts.repeats, &err);
    if (runner->sweeps_due && !runner->sweeps_told)
        log_line(LOG_ERROR, "sweeps could not be carried on: %s", err.message);
    runner->sweeps_told = runner->sweeps_due;
}

/* What was left to do, then the next run. */
static bool take_next(struct runner *runner, bool *ret_room, struct run *ret_run)
{
    *ret_room = has_room(runner);
    advance_sweeps(runner);
    if (!*ret_room)
        return false;
    look_out(runner);
    return claim(runner, ret_run);
}

static void looks(void *user, struct db *db)
{
    struct runner *runner = user;

    pthread_mutex_lock(&runner->lock);
    runner->looked_at = db;
    if (db && (runner->woken || runner->stopping))
        db_interrupt(db);
    pthread_mutex_unlock(&runner->lock);
}

/* Sleeps until there is something to do; false when the server stops. */
static bool wait_for_work(struct runner *runner, bool room)
{
    long long until_ns = clock_monotonic_ns() + ROOM_NS;
    bool failed = (runner->sweeps_due || runner->claim_failed) && !db_is_damaged() &&
                  !runner_is_leaving(runner, NULL, 0);
    bool stopping;

    if (room && (!failed || runner->maintenance.due_ns < until_ns))
        until_ns = runner->maintenance.due_ns;
    pthread_mutex_lock(&runner->lock);
    while (!runner->woken && !runner->stopping && clock_monotonic_ns() < until_ns)
        condition_wait(&runner->changed, &runner->lock, until_ns);
    runner->woken = false;
    stopping = runner->stopping;
    pthread_mutex_unlock(&runner->lock);
    return !stopping;
}

/* What is queued from before is left alone until somebody says so; false when the server stops.
 */
static bool wait_for_word(struct runner *runner)
{
    bool stopping;

    pthread_mutex_lock(&runner->lock);
    while (runner->parts.waits && !runner->woken && !runner->stopping)
        pthread_cond_wait(&runner->changed, &runner->lock);
    stopping = runner->stopping;
    pthread_mutex_unlock(&runner->lock);
    return !stopping;
}

static void *work(void *user)
{
    struct runner *runner = user;
    bool room, going_on = wait_for_word(runner);

    runner->maintenance =
        (struct maintenance){.keep_steps_days = runner->parts.config->keep_steps_days,
                             .metrics = runner->parts.metrics,
                             .watch = {looks, runner}};
    maintenance_start(&runner->maintenance, clock_monotonic_ns());
    while (going_on) {
        struct run run;

        while (take_next(runner, &room, &run)) {
            run_one(runner, &run);
            runner->sweeps_due = runner->sweeps_due || run.sweep.text[0];
            run_clear(&run);
            maintenance_wait(&runner->maintenance, clock_monotonic_ns());
        }
        preemption_watch_watch(runner->watch, false);
        if (room && !runner->claim_failed)
            maintenance_work(&runner->maintenance, runner->db, clock_monotonic_ns(),
                             clock_calendar_us());
        going_on = wait_for_work(runner, room);
    }
    return NULL;
}

void runner_free(struct runner *runner)
{
    if (!runner)
        return;
    preemption_watch_free(runner->watch);
    db_free(runner->db);
    closep(&runner->wake);
    pthread_cond_destroy(&runner->changed);
    pthread_mutex_destroy(&runner->lock);
    free(runner);
}

static void leave(void *user, const char *why)
{
    runner_leave(user, why);
}

static void stay(void *user)
{
    runner_stay(user);
}

static bool start_threads(struct runner *runner, struct error *err)
{
    const struct preemption_watch_parts parts = {.here = runner->parts.here,
                                                 .metadata = runner->parts.config->metadata,
                                                 .leave = leave,
                                                 .stay = stay,
                                                 .user = runner};

    if (is_confining(runner->parts.config) && !confine_can_filter())
        log_line(LOG_INFO, "calls cannot be filtered here: workers are confined without that");
    if (!preemption_watch_start(&parts, &runner->watch, err))
        return false;
    if (pthread_create(&runner->thread, NULL, work, runner) == 0)
        return true;
    preemption_watch_stop(runner->watch);
    return error_set(err, ERROR_INTERNAL, NULL, "cannot start the runner thread");
}

struct runner *runner_start(const struct runner_parts *parts, struct error *err)
{
    struct runner *runner = calloc(1, sizeof *runner);
    struct error why = {0};

    if (!runner && !error_no_memory(err))
        return NULL;
    runner->parts = *parts;
    pthread_mutex_init(&runner->lock, NULL);
    condition_init(&runner->changed);
    runner->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (runner->wake < 0)
        error_set(err, ERROR_INTERNAL, NULL, "cannot make an eventfd: %s", strerror(errno));
    else
        runner->db = db_open(parts->config->database, err);
    if (!runner->db || (!prepare(runner, &why) && why.kind != ERROR_STORAGE)) {
        error_set(err, why.kind, NULL, "%s", why.message);
        runner_free(runner);
        return NULL;
    }
    if (!start_threads(runner, err)) {
        runner_free(runner);
        return NULL;
    }
    return runner;
}

/* With the lock held. */
static void ring(struct runner *runner)
{
    const uint64_t one = 1;

    pthread_cond_signal(&runner->changed);
    if (runner->looked_at)
        db_interrupt(runner->looked_at);
    (void)!write(runner->wake, &one, sizeof one);
}

void runner_wake(struct runner *runner)
{
    pthread_mutex_lock(&runner->lock);
    runner->woken = true;
    ring(runner);
    pthread_mutex_unlock(&runner->lock);
}

bool runner_cancel(struct runner *runner, const char *run_id)
{
    pthread_mutex_lock(&runner->lock);
    bool current = strcmp(runner->current.text, run_id) == 0;
    if (current) {
        runner->cancelling = true;
        ring(runner);
    }
    pthread_mutex_unlock(&runner->lock);
    return current;
}

void runner_leave(struct runner *runner, const char *why)
{
    pthread_mutex_lock(&runner->lock);
    bool idle = runner->current.text[0] == '\0';
    if (!runner->leaving) {
        snprintf(runner->why, sizeof runner->why, "%s", why);
        runner->leaving = true;
        metrics_leaving(runner->parts.metrics, true);
        log_line(LOG_INFO, "%s: no further run is begun", why);
        ring(runner);
    }
    pthread_mutex_unlock(&runner->lock);
    if (idle) /* who waits for a run that is queued waits in vain */
        notifications_tell_all(runner->parts.notifications, clock_monotonic_ns());
}

void runner_stay(struct runner *runner)
{
    pthread_mutex_lock(&runner->lock);
    if (runner->leaving) {
        runner->leaving = false;
        metrics_leaving(runner->parts.metrics, false);
        log_line(LOG_INFO, "the cloud leaves this machine here after all: runs are begun again");
        runner->woken = true;
        ring(runner);
    }
    pthread_mutex_unlock(&runner->lock);
}

bool runner_is_leaving(struct runner *runner, char *ret_why, size_t size)
{
    pthread_mutex_lock(&runner->lock);
    bool leaving = runner->leaving;
    if (leaving && ret_why)
        snprintf(ret_why, size, "%s", runner->why);
    pthread_mutex_unlock(&runner->lock);
    return leaving;
}

bool runner_has_left(struct runner *runner)
{
    pthread_mutex_lock(&runner->lock);
    bool left = runner->leaving && runner->current.text[0] == '\0';
    pthread_mutex_unlock(&runner->lock);
    return left;
}

bool runner_current(struct runner *runner, struct run_id *ret_id)
{
    pthread_mutex_lock(&runner->lock);
    *ret_id = runner->current;
    pthread_mutex_unlock(&runner->lock);
    return ret_id->text[0] != '\0';
}

void runner_stop(struct runner *runner)
{
    if (!runner || runner->joined)
        return;
    pthread_mutex_lock(&runner->lock);
    runner->stopping =
        true; /* first, so that nothing is begun that was waiting for the lookout */
    ring(runner);
    pthread_mutex_unlock(&runner->lock);
    preemption_watch_stop(runner->watch);
    pthread_join(runner->thread, NULL);
    runner->joined = true;
}

bool runner_is_stopping(struct runner *runner)
{
    pthread_mutex_lock(&runner->lock);
    bool stopping = runner->stopping;
    pthread_mutex_unlock(&runner->lock);
    return stopping;
}
