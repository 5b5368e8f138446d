#include "server/runs/maintenance.h"

#include "common/clock.h"
#include "server/base/log.h"

#define IDLE_NS (20 * NS_PER_SECOND)         /* without a run, before anything is done */
#define AGAIN_NS (24 * 3600 * NS_PER_SECOND) /* from one pass to the next */
#define DAY_US (24 * 3600 * 1000000LL)

void keeper_start(struct keeper *keeper, long long now_ns)
{
    keeper->due_ns = now_ns + IDLE_NS;
    keeper->begun = false;
}

void keeper_wait(struct keeper *keeper, long long now_ns)
{
    if (keeper->due_ns < now_ns + IDLE_NS)
        keeper->due_ns = now_ns + IDLE_NS;
}

static void begin(struct keeper *keeper, long long now_ns, long long calendar_us)
{
    keeper->begun = true;
    keeper->began_ns = now_ns;
    keeper->task = keeper->keep_steps_days > 0 ? KEEPER_THIN : KEEPER_LOOK;
    keeper->thinning = (struct thinning){
        .now_us = calendar_us, .before_us = calendar_us - keeper->keep_steps_days * DAY_US};
}

static void end(struct keeper *keeper, long long now_ns)
{
    log_line(LOG_INFO, "kept the database in order: runs_thinned=%lld steps_dropped=%lld ms=%lld",
             keeper->thinning.runs, keeper->thinning.steps,
             (clock_monotonic_ns() - keeper->began_ns) / NS_PER_MS);
    keeper->begun = false;
    keeper->due_ns = now_ns + AGAIN_NS;
}

/* True when there is no more to thin. */
static bool thin(struct keeper *keeper, struct db *db, struct error *err)
{
    long long before = keeper->thinning.runs;

    if (!thinning_step(db, &keeper->thinning, err))
        return true;
    if (keeper->metrics)
        metrics_thinned(keeper->metrics, keeper->thinning.runs - before);
    return keeper->thinning.done;
}

/* True when it is over. One that was ended is begun again when nothing else is to do, but not for
 * ever: the rest of the pass waits for it. */
static bool look(struct keeper *keeper, struct db *db, long long now_ns, struct error *err)
{
    bool disturbed;

    (void)!verify_in_peace(db, &keeper->watch, &disturbed, err);
    return !disturbed || now_ns - keeper->began_ns >= AGAIN_NS;
}

/* One task, or a piece of it; true when it is over. */
static bool work(struct keeper *keeper, struct db *db, long long now_ns, struct error *err)
{
    switch (keeper->task) {
    case KEEPER_THIN:
        return thin(keeper, db, err);
    case KEEPER_LOOK:
        return look(keeper, db, now_ns, err);
    default:
        (void)!db_tidy(db, err);
        return true;
    }
}

void keeper_work(struct keeper *keeper, struct db *db, long long now_ns, long long calendar_us)
{
    struct error err = {0};
    bool over;

    if (now_ns < keeper->due_ns)
        return;
    if (db_is_damaged()) {
        keeper->due_ns = now_ns + AGAIN_NS;
        return;
    }
    if (!keeper->begun)
        begin(keeper, now_ns, calendar_us);
    over = work(keeper, db, now_ns, &err);
    if (err.kind != ERROR_NONE)
        log_line(LOG_ERROR, "keeping the database in order: %s", err.message);
    if (!over)
        return;
    if (keeper->task == KEEPER_TIDY)
        end(keeper, now_ns);
    else
        keeper->task++;
}
