#include "server/bench_watch.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/runs.h"
#include "server/bench_table.h"

#define TELL_NS (10 * NS_PER_SECOND)

/* Where it is noted what was told of a run; BENCH_WATCH_MAX when there is no room. */
static size_t find(struct bench_watch *watch, const struct run_id *id)
{
    size_t i = 0;

    while (i < watch->count && strcmp(watch->told[i].id.text, id->text) != 0)
        i++;
    if (i == watch->count && i < BENCH_WATCH_MAX) {
        watch->told[i].id = *id;
        watch->count++;
    }
    return i;
}

static bool tell_end(struct bench_watch *watch, struct db *db, const char *name,
                     const struct run_id *id, struct error *err)
{
    AUTO(bytes_free) struct bytes words = {.limit = 16384};
    AUTO(run_clear) struct run run = {0};

    if (!runs_find(db, id->text, &run, err))
        return false;
    if (!bench_run_words(&words, &run))
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    fprintf(watch->out, "%s: %s\n", name, words.data);
    return true;
}

static void tell_progress(struct bench_watch *watch, const char *name, const struct run_id *id)
{
    long long now_ns = clock_monotonic_ns();
    struct progress progress;

    if (now_ns - watch->told_ns < TELL_NS ||
        !live_get_progress(watch->server->live, id->text, now_ns, &progress))
        return;
    watch->told_ns = now_ns;
    fprintf(watch->out, "%s: %s, step %lld of about %lld", name,
            strcmp(progress.phase, "warm_up") == 0 ? "warming up" : progress.phase,
            progress.steps_done, progress.steps_planned);
    if (progress.samples_per_second > 0)
        fprintf(watch->out, ", %.4g samples/s", progress.samples_per_second);
    if (progress.half_width_percent > 0)
        fprintf(watch->out, " within %.2g %%", progress.half_width_percent);
    fprintf(watch->out, ", about %.0f s left\n", progress.seconds_left);
}

/* How many have come to an end for good: the others are tried again. */
static size_t settled(const struct sweep_row_run *runs, size_t count)
{
    size_t ended = 0;

    for (size_t i = 0; i < count; i++)
        ended += run_state_is_final(runs[i].run.state) && runs[i].run.state != RUN_INTERRUPTED &&
                 runs[i].run.state != RUN_PREEMPTED;
    return ended;
}

static bool look_at(struct bench_watch *watch, struct db *db, const struct sweep_row_run *run,
                    const char *name, struct bench_sight *sight, struct error *err)
{
    size_t at = find(watch, &run->id);

    if (at == BENCH_WATCH_MAX || run->run.state == RUN_QUEUED || watch->told[at].ended)
        return true;
    if (!watch->told[at].begun && run->run.state == RUN_RUNNING) {
        fprintf(watch->out, "%s: run %zu of %zu begins\n", name, sight->settled + 1,
                watch->planned);
        watch->told_ns = clock_monotonic_ns();
        watch->told[at].begun = true;
    }
    if (run->run.state == RUN_RUNNING) {
        sight->running = run->id;
        tell_progress(watch, name, &run->id);
        return true;
    }
    watch->told[at].ended = true;
    sight->ended++;
    return tell_end(watch, db, name, &run->id, err);
}

bool bench_watch_look(struct bench_watch *watch, struct bench_sight *ret_sight, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(watch->server->pool);
    AUTO(sweep_row_clear) struct sweep_row row = {0};
    AUTO(freep) struct sweep_row_run *runs = NULL;
    struct bench_sight sight = {.idle = true};
    size_t count = 0;

    if (!sweeps_find(loan.db, watch->sweep.text, &row, err) ||
        !sweeps_runs(loan.db, row.number, &runs, &count, err))
        return false;
    sight.settled = settled(runs, count);
    for (size_t i = 0; i < count; i++) {
        size_t cell = runs[i].run.cell;

        sight.idle = sight.idle && run_state_is_final(runs[i].run.state);
        if (!look_at(watch, loan.db, &runs[i], cell < row.count ? row.cells[cell].name : "",
                     &sight, err))
            return false;
    }
    sight.over = row.state != SWEEP_RUNNING && sight.idle;
    *ret_sight = sight;
    return true;
}
