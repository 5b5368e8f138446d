#include "server/runs/maintenance.h"

#include "common/clock.h"
#include "common/haste.h"
#include "db/damage.h"
#include "server/base/log.h"

#define IDLE_NS (20 * NS_PER_SECOND)         /* from the end of a run to maintenance */
#define AGAIN_NS (24 * 3600 * NS_PER_SECOND) /* from one pass to the next */

void maintenance_start(struct maintenance *maintenance, long long now_ns)
{
    maintenance->due_ns = now_ns + haste_pause(IDLE_NS);
    maintenance->begun = false;
}

void maintenance_wait(struct maintenance *maintenance, long long now_ns)
{
    long long due_ns = now_ns + haste_pause(IDLE_NS);

    if (maintenance->due_ns < due_ns)
        maintenance->due_ns = due_ns;
}

static void maintenance_begin(struct maintenance *maintenance, long long now_ns,
                              long long calendar_us)
{
    maintenance->begun = true;
    maintenance->began_ns = now_ns;
    maintenance->task = maintenance->keep_steps_days > 0 ? MAINTENANCE_THIN : MAINTENANCE_VERIFY;
    maintenance->thinning =
        (struct thinning){.now_us = calendar_us,
                          .before_us = calendar_us - maintenance->keep_steps_days * US_PER_DAY};
}

static void maintenance_end(struct maintenance *maintenance, long long now_ns)
{
    log_line(LOG_INFO, "kept the database in order: runs_thinned=%lld steps_dropped=%lld ms=%lld",
             maintenance->thinning.runs, maintenance->thinning.steps,
             (clock_monotonic_ns() - maintenance->began_ns) / NS_PER_MS);
    maintenance->begun = false;
    maintenance->due_ns = now_ns + AGAIN_NS;
}

/* Returns true when nothing is left to thin. */
static bool maintenance_thin(struct maintenance *maintenance, struct db *db, struct error *err)
{
    long long before = maintenance->thinning.runs;

    if (!thinning_step(db, &maintenance->thinning, err))
        return true;
    if (maintenance->metrics)
        metrics_thinned(maintenance->metrics, maintenance->thinning.runs - before);
    return maintenance->thinning.done;
}

/* Returns true when it is complete. Restarts after an interruption, for a day at most, because
 * the rest of the pass waits. */
static bool maintenance_look(struct maintenance *maintenance, struct db *db, long long now_ns,
                             struct error *err)
{
    bool disturbed;

    (void)!verify_in_peace(db, &maintenance->watch, &disturbed, err);
    return !disturbed || now_ns - maintenance->began_ns >= AGAIN_NS;
}

/* Does one task or a piece of it; returns true when the task is complete. */
static bool maintenance_step(struct maintenance *maintenance, struct db *db, long long now_ns,
                             struct error *err)
{
    switch (maintenance->task) {
    case MAINTENANCE_THIN:
        return maintenance_thin(maintenance, db, err);
    case MAINTENANCE_VERIFY:
        return maintenance_look(maintenance, db, now_ns, err);
    default:
        (void)!db_tidy(db, err);
        return true;
    }
}

void maintenance_work(struct maintenance *maintenance, struct db *db, long long now_ns,
                      long long calendar_us)
{
    struct error err = {0};
    bool over;

    if (now_ns < maintenance->due_ns)
        return;
    if (db_is_damaged()) {
        maintenance->due_ns = now_ns + AGAIN_NS;
        return;
    }
    if (!maintenance->begun)
        maintenance_begin(maintenance, now_ns, calendar_us);
    over = maintenance_step(maintenance, db, now_ns, &err);
    if (err.kind != ERROR_NONE)
        log_line(LOG_ERROR, "keeping the database in order: %s", err.message);
    if (!over)
        return;
    if (maintenance->task == MAINTENANCE_TIDY)
        maintenance_end(maintenance, now_ns);
    else
        maintenance->task++;
}
