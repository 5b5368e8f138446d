#include "server/runs/runner.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "db/db_open.h"
#include "engine/process/confine.h"
#include "server/base/log.h"
#include "server/runs/preemption_event.h"
#include "server/runs/runner_work.h"

#include <errno.h>
#include <sys/eventfd.h>

void runner_free(struct runner *runner)
{
    if (!runner)
        return;
    preemption_watch_free(runner->watch);
    db_free(runner->db);
    closep(&runner->wake);
    service_thread_clear(&runner->thread);
    free(runner);
}

static void take_notice(void *user, const char *why)
{
    struct runner *runner = user;

    runner_preempt(runner, why); /* first: a run may be lost in the seconds that are left */
    preemption_event_store(runner->parts.config, runner->parts.this_machine, why);
}

static void withdraw_notice(void *user)
{
    runner_withdraw_preemption(user);
}

static bool start_threads(struct runner *runner, struct error *err)
{
    const struct preemption_watch_parts parts = {.this_machine = runner->parts.this_machine,
                                                 .metadata = runner->parts.config->metadata,
                                                 .notice = take_notice,
                                                 .withdraw = withdraw_notice,
                                                 .user = runner};

    if (runner_is_confining(runner->parts.config) && !confine_can_filter())
        log_line(LOG_INFO, "calls cannot be filtered here: workers are confined without that");
    if (runner_is_confining(runner->parts.config) && !confine_can_restrict_files())
        log_line(LOG_INFO, "files cannot be confined here (the kernel has no Landlock, or it is "
                           "forbidden): the engine may use all files of its user");
    if (!preemption_watch_start(&parts, &runner->watch, err))
        return false;
    if (service_thread_start(&runner->thread, "runner", runner_work, runner, err))
        return true;
    preemption_watch_stop(runner->watch);
    return false;
}

static bool runner_prepare(struct runner *runner, struct error *err)
{
    const struct config *config = runner->parts.config;
    struct error why = {0};

    runner->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (runner->wake < 0)
        return error_set(err, ERROR_INTERNAL, NULL, "cannot make an eventfd: %s",
                         strerror(errno));
    runner->db = db_open(config->database, err);
    if (!runner->db)
        return false;
    runner->sweeps_due = true;
    runner->readiness = (struct readiness){
        .config = config, .this_machine = runner->parts.this_machine, .db = runner->db};
    runner->maintenance = (struct maintenance){.keep_steps_days = config->keep_steps_days,
                                               .metrics = runner->parts.metrics,
                                               .watch = {runner_note_verified_db, runner}};
    return readiness_prepare(&runner->readiness, &why) || why.kind == ERROR_STORAGE ||
           error_set(err, why.kind, NULL, "%s", why.message);
}

struct runner *runner_start(const struct runner_parts *parts, struct error *err)
{
    struct runner *runner = xcalloc(1, sizeof *runner);

    runner->parts = *parts;
    service_thread_init(&runner->thread);
    if (!runner_prepare(runner, err) || !start_threads(runner, err)) {
        runner_free(runner);
        return NULL;
    }
    return runner;
}

/* With the lock held: makes the thread look at what has changed, whatever it is doing. */
static void runner_ring(struct runner *runner)
{
    const uint64_t one = 1;

    service_thread_wake(&runner->thread);
    if (runner->verified_db)
        db_interrupt(runner->verified_db);
    (void)!write(runner->wake, &one, sizeof one);
}

void runner_wake(struct runner *runner)
{
    service_thread_lock(&runner->thread);
    runner->woken = true;
    runner_ring(runner);
    service_thread_unlock(&runner->thread);
}

void runner_advance_sweeps(struct runner *runner)
{
    service_thread_lock(&runner->thread);
    runner->sweeps_changed = runner->woken = true;
    runner_ring(runner);
    service_thread_unlock(&runner->thread);
}

bool runner_cancel(struct runner *runner, const char *run_id)
{
    service_thread_lock(&runner->thread);
    bool current = strcmp(runner->current.text, run_id) == 0;
    if (current) {
        runner->cancelled = true;
        runner_ring(runner);
    }
    service_thread_unlock(&runner->thread);
    return current;
}

void runner_preempt(struct runner *runner, const char *why)
{
    service_thread_lock(&runner->thread);
    bool idle = runner->current.text[0] == '\0';
    if (!runner->preempted) {
        snprintf(runner->preemption, sizeof runner->preemption, "%s", why);
        runner->preempted = true;
        metrics_preempted(runner->parts.metrics, true);
        log_line(LOG_INFO, "%s: no further run is begun", why);
        runner_ring(runner);
    }
    service_thread_unlock(&runner->thread);
    if (idle) /* clients that wait for a queued run get their answer now */
        notifications_tell_all(runner->parts.notifications, clock_monotonic_ns());
}

void runner_withdraw_preemption(struct runner *runner)
{
    service_thread_lock(&runner->thread);
    if (runner->preempted) {
        runner->preempted = false;
        metrics_preempted(runner->parts.metrics, false);
        log_line(LOG_INFO, "the cloud leaves this machine here after all: runs are begun again");
        runner->woken = true;
        runner_ring(runner);
    }
    service_thread_unlock(&runner->thread);
}

bool runner_is_preempted(struct runner *runner, char *ret_why, size_t size)
{
    service_thread_lock(&runner->thread);
    bool preempted = runner->preempted;
    if (preempted && ret_why)
        snprintf(ret_why, size, "%s", runner->preemption);
    service_thread_unlock(&runner->thread);
    return preempted;
}

bool runner_is_drained(struct runner *runner)
{
    service_thread_lock(&runner->thread);
    bool left = runner->preempted && runner->current.text[0] == '\0';
    service_thread_unlock(&runner->thread);
    return left;
}

bool runner_current(struct runner *runner, struct run_id *ret_id)
{
    service_thread_lock(&runner->thread);
    *ret_id = runner->current;
    service_thread_unlock(&runner->thread);
    return ret_id->text[0] != '\0';
}

/* The runner's thread has to stop before the preemption watch ends: otherwise it would begin a
 * run once the watch no longer holds it up. */
void runner_stop(struct runner *runner)
{
    if (!runner)
        return;
    service_thread_ask_to_stop(&runner->thread);
    service_thread_lock(&runner->thread);
    runner_ring(runner);
    service_thread_unlock(&runner->thread);
    preemption_watch_stop(runner->watch);
    service_thread_join(&runner->thread);
}

bool runner_is_stopping(struct runner *runner)
{
    return service_thread_is_stopping(&runner->thread);
}
