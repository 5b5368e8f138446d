/* Also tested by tests/api/test_sweeps.py. */
#include "server/runs/sweeper.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "db/runs/sweep_runs.h"
#include "db/runs/sweeps.h"
#include "engine/spec/run_spec_text.h"
#include "engine/sweep/sweep_tune.h"
#include "server/base/log.h"

#include <limits.h>

/* The runs of a sweep, in the form that the statistics read. */
static struct sweep_run *plain_runs(const struct sweep_row_run *runs, size_t count)
{
    struct sweep_run *plain = xcalloc(count, sizeof *plain);

    for (size_t i = 0; i < count; i++)
        plain[i] = runs[i].run;
    return plain;
}

static bool is_busy(const struct sweep_row_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!run_state_is_final(runs[i].run.state))
            return true;
    return false;
}

/* The sweep as requested, with the cells that later rounds added. */
static bool sweeper_restore(const struct sweep_row *row, const struct place *place,
                            struct sweep *ret_sweep, struct error *err)
{
    AUTO(sweep_clear) struct sweep sweep = {0};

    if (!sweep_from_text(row->request, strlen(row->request), place, &sweep, err))
        return false;
    sweep.count = 0;
    for (size_t i = 0; i < row->count; i++) {
        AUTO(json_decrefp) json_t *spec = run_spec_to_json(&row->cells[i].spec);

        if (!sweep_add(&sweep, row->cells[i].name, spec, place, err))
            return false;
    }
    *ret_sweep = sweep;
    sweep = (struct sweep){0};
    return true;
}

/* Adds the next round of a tune; its place in the queue was reserved when the tune was accepted.
 * Returns false when no round is left, and, with err set, when adding failed. */
static bool add_round(struct db *db, const struct sweep_row *row,
                      const struct sweep_result *result, const struct place *place,
                      const char *instance, struct error *err)
{
    AUTO(sweep_clear) struct sweep sweep = {0};
    size_t first;

    /* Before the request is read again: it may no longer be possible on this machine. */
    if (sweep_preset_of(row->request) != SWEEP_TUNE || row->rounds >= TUNE_ROUNDS)
        return false;
    if (!sweeper_restore(row, place, &sweep, err))
        return false;
    first = sweep.count;
    if (!sweep_tune_next(&sweep, (int)row->rounds, result, place, err))
        return false;
    return sweep.count > first &&
           sweeps_add_round(db, row,
                            &(struct sweep_order){.sweep = &sweep,
                                                  .first = first,
                                                  .round = row->rounds,
                                                  .blocks = sweep_tune_blocks((int)row->rounds),
                                                  .instance = instance,
                                                  .now_us = clock_calendar_us(),
                                                  .queue_limit = LLONG_MAX},
                            err);
}

static bool sweeper_advance_row(struct db *db, struct sweep_row *row, const struct place *place,
                                struct sweep_repeat repeat, struct error *err)
{
    const char *instance = repeat.instance;
    AUTO(freep) struct sweep_row_run *runs = NULL;
    AUTO(freep) struct sweep_run *plain = NULL;
    AUTO(sweep_result_clear) struct sweep_result result = {0};
    struct error cause = {0};
    size_t count = 0;
    bool repeated;

    if (!sweeps_requeue(db, row, instance, repeat.now_us, err) ||
        !sweeps_repeat(db, row, repeat, &repeated, err) ||
        !sweeps_runs(db, row->number, &runs, &count, err))
        return false;
    if (is_busy(runs, count))
        return true;
    plain = plain_runs(runs, count);
    sweep_result_compute(plain, count, row->count, 0, NULL, &result);
    if (add_round(db, row, &result, place, instance, &cause))
        return true;
    if (cause.kind == ERROR_BUSY || cause.kind == ERROR_STORAGE ||
        cause.kind == ERROR_DAMAGED) /* the next run or the next start tries again */
        return error_set(err, cause.kind, NULL, "%s", cause.message);
    if (cause.kind != ERROR_NONE)
        log_line(LOG_ERROR, "sweep %s: no further round: %s", row->id.text, cause.message);
    log_line(LOG_INFO, "sweep %s state=finished runs=%zu", row->id.text, count);
    return sweeps_end(db, row->id.text, SWEEP_FINISHED, clock_calendar_us(), err);
}

/* The time that is left for repeating runs of that sweep. */
static long long seconds_for(const struct run_id *sweep, const struct sweeper_repeats *repeats)
{
    if (!repeats || strcmp(sweep->text, repeats->sweep.text) != 0)
        return 0;
    return (repeats->until_ns - clock_monotonic_ns()) / NS_PER_SECOND;
}

/* For a sweep that has not ended; *ret_number is its number. */
static bool advance_one(const struct sweeper_parts *parts, const struct run_id *sweep,
                        long long *ret_number, struct error *err)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};
    struct place place = this_machine_place(parts->here, parts->db);
    struct identity identity;

    this_machine_identity(parts->here, &identity);
    if (!sweeps_find(parts->db, sweep->text, &row, err))
        return false;
    *ret_number = row.number;
    if (row.state != SWEEP_RUNNING)
        return true;
    if (!sweeper_advance_row(parts->db, &row, &place,
                             (struct sweep_repeat){.instance = identity.instance_type,
                                                   .now_us = clock_calendar_us(),
                                                   .seconds = seconds_for(sweep, parts->repeats)},
                             err))
        return false;
    notifications_publish(parts->notifications, &(struct topic){TOPIC_SWEEP, *sweep},
                          clock_monotonic_ns());
    return true;
}

bool sweeper_advance(const struct sweeper_parts *parts, const struct run_id *sweep,
                     struct error *err)
{
    long long number;

    return advance_one(parts, sweep, &number, err);
}

bool sweeper_advance_all(const struct sweeper_parts *parts, struct error *err)
{
    long long after = 0;
    struct run_id id;
    bool found;

    while (sweeps_next_running(parts->db, after, &id, &found, err)) {
        if (!found)
            return true;
        if (!advance_one(parts, &id, &after, err))
            return false;
    }
    return false;
}
