#include "server/runner.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/runs.h"
#include "engine/spawn.h"
#include "server/job.h"
#include "server/log.h"
#include "server/present_price.h"
#include "server/sweeper.h"

#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>

struct runner {
    struct runner_parts parts;
    struct db *db; /* the thread's own */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct run_id current; /* "" between runs */
    bool woken, stopping, cancelling;
    int wake; /* an eventfd: readable when a flag above was set during a run */
};

static void set_end(struct run *run, enum run_state state, const char *reason)
{
    run->state = state;
    run->ended_us = clock_calendar_us();
    snprintf(run->reason, sizeof run->reason, "%s", reason);
}

/* Stores the end of a run. A busy database is asked again; a broken one is only told of, and the
 * next start closes the run as an orphan. */
static void store_end(struct runner *runner, const struct run *run)
{
    struct error err = {0};

    for (int attempt = 0; attempt < 5; attempt++) {
        error_clear(&err);
        if (runs_end(runner->db, run, &err)) {
            log_line(LOG_INFO, "run %s state=%s steps=%lld", run->id.text,
                     run_state_name(run->state), run->steps);
            return;
        }
        if (err.kind != ERROR_BUSY)
            break;
    }
    log_line(LOG_ERROR, "run %s: its end could not be stored: %s", run->id.text, err.message);
}

static bool close_orphans(struct runner *runner, struct error *err)
{
    for (;;) {
        struct run run;
        bool found = false;

        if (!runs_orphan(runner->db, &run, &found, err))
            return false;
        if (!found)
            return true;
        int killed = child_sweep(run.id.text);
        log_line(LOG_INFO, "run %s was under way when the server ended; processes_killed=%d",
                 run.id.text, killed);
        set_end(&run, RUN_INTERRUPTED, "the server was killed, or lost power, during the run");
        bool ended = runs_end(runner->db, &run, err);
        run_clear(&run);
        if (!ended)
            return false;
    }
}

/* Takes the next run. Under the lock, so that a cancel finds either a queued run or a current
 * one. */
static bool claim(struct runner *runner, struct run *ret_run)
{
    struct error err = {0};
    bool found = false;

    pthread_mutex_lock(&runner->lock);
    runner->woken = false;
    if (!runner->stopping && !runs_claim(runner->db, clock_calendar_us(),
                                         runner->parts.here->number, ret_run, &found, &err)) {
        log_line(LOG_ERROR, "cannot take a run from the queue: %s", err.message);
        runner->woken = err.kind == ERROR_BUSY;
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
    else if (runner->stopping)
        order = JOB_STOP;
    pthread_mutex_unlock(&runner->lock);
    return order;
}

/* What an hour costs is kept with the run as it is when that begins: feeds go on, and runs of the
 * past must not change. */
static void look_at_price(struct runner *runner, const struct run *run, struct run_cost *ret_cost)
{
    struct error err = {0};

    *ret_cost = (struct run_cost){.at_us = run->started_us};
    whoami_get(runner->parts.whoami, &ret_cost->identity);
    if (!whoami_price(runner->parts.whoami, runner->db, run->started_us, &ret_cost->price, &err))
        log_line(LOG_ERROR, "run %s: its price could not be read: %s", run->id.text, err.message);
}

/* Where it ran, and what that cost. A run that ended in another way trained nothing that could be
 * counted. */
static void keep_cost(const struct runner *runner, struct run *run, const struct run_cost *cost)
{
    const struct identity *identity = &cost->identity;
    const struct range *throughput = &run->summary.throughput;
    const struct amount speed = {.value = run->summary.samples_per_second,
                                 .low = throughput->low,
                                 .high = throughput->high,
                                 .has_interval = throughput->known};

    memcpy(run->where.provider, identity->provider, sizeof run->where.provider);
    memcpy(run->where.region, identity->region, sizeof run->where.region);
    memcpy(run->where.zone, identity->zone, sizeof run->where.zone);
    memcpy(run->where.vm, runner->parts.here->vm, sizeof run->where.vm);
    run->price = run_cost_to_text(cost, run->state == RUN_FINISHED ? &speed : NULL);
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
    default:
        metrics_worker_failed(runner->parts.metrics);
        set_end(run, RUN_FAILED, err->message);
    }
}

static void run_one(struct runner *runner, struct run *run)
{
    struct error err = {0};
    struct run_cost cost;
    struct job_parts parts = {.db = runner->db,
                              .engines = runner->parts.engines,
                              .live = runner->parts.live,
                              .silence_ns = runner->parts.config->silence_seconds * NS_PER_SECOND,
                              .wake = runner->wake,
                              .orders = orders,
                              .user = runner};

    log_line(LOG_INFO, "run %s state=running", run->id.text);
    live_tell(runner->parts.live, run->id.text, clock_monotonic_ns());
    metrics_worker_started(runner->parts.metrics);
    look_at_price(runner, run, &cost);
    parts.dollars_per_hour = cost.price.known ? cost.price.dollars : 0;
    set_result(runner, run, job_run(&parts, run, &err), &err);
    keep_cost(runner, run, &cost);
    /* The end is stored and the name given up at once: a cancel that comes too late finds a run
     * that has ended. */
    pthread_mutex_lock(&runner->lock);
    store_end(runner, run);
    runner->current.text[0] = '\0';
    pthread_mutex_unlock(&runner->lock);
    live_tell(runner->parts.live, run->id.text, clock_monotonic_ns());
}

/* Whatever goes wrong here is tried again after the next run, and at the next start. */
static void advance_sweeps(struct runner *runner)
{
    struct here here = *runner->parts.here;
    struct identity identity;
    struct error err = {0};

    whoami_get(runner->parts.whoami, &identity);
    here.place.dollars_per_hour = whoami_dollars(runner->parts.whoami, runner->db);
    if (!sweeper_advance(runner->db, &here, identity.instance_type, runner->parts.live, &err))
        log_line(LOG_ERROR, "sweeps could not be carried on: %s", err.message);
}

static void *work(void *user)
{
    struct runner *runner = user;
    bool stopping = false;

    advance_sweeps(runner);
    while (!stopping) {
        struct run run;

        if (claim(runner, &run)) {
            run_one(runner, &run);
            if (run.sweep.text[0])
                advance_sweeps(runner);
            run_clear(&run);
            continue;
        }
        pthread_mutex_lock(&runner->lock);
        while (!runner->woken && !runner->stopping)
            pthread_cond_wait(&runner->changed, &runner->lock);
        stopping = runner->stopping;
        pthread_mutex_unlock(&runner->lock);
    }
    return NULL;
}

void runner_free(struct runner *runner)
{
    if (!runner)
        return;
    db_free(runner->db);
    closep(&runner->wake);
    pthread_cond_destroy(&runner->changed);
    pthread_mutex_destroy(&runner->lock);
    free(runner);
}

struct runner *runner_start(const struct runner_parts *parts, struct error *err)
{
    struct runner *runner = calloc(1, sizeof *runner);

    if (!runner) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    runner->parts = *parts;
    pthread_mutex_init(&runner->lock, NULL);
    pthread_cond_init(&runner->changed, NULL);
    runner->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (runner->wake < 0)
        error_set(err, ERROR_INTERNAL, NULL, "cannot make an eventfd: %s", strerror(errno));
    else
        runner->db = db_open(parts->config->database, err);
    if (!runner->db || !here_store(runner->parts.here, runner->db, err) ||
        !close_orphans(runner, err)) {
        runner_free(runner);
        return NULL;
    }
    if (pthread_create(&runner->thread, NULL, work, runner) != 0) {
        error_set(err, ERROR_INTERNAL, NULL, "cannot start the runner thread");
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
    (void)!write(runner->wake, &one, sizeof one);
}

void runner_wake(struct runner *runner)
{
    pthread_mutex_lock(&runner->lock);
    runner->woken = true;
    pthread_cond_signal(&runner->changed);
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

void runner_stop(struct runner *runner)
{
    if (!runner)
        return;
    pthread_mutex_lock(&runner->lock);
    runner->stopping = true;
    ring(runner);
    pthread_mutex_unlock(&runner->lock);
    pthread_join(runner->thread, NULL);
}

bool runner_is_stopping(struct runner *runner)
{
    pthread_mutex_lock(&runner->lock);
    bool stopping = runner->stopping;
    pthread_mutex_unlock(&runner->lock);
    return stopping;
}
