/* Tested by tests/db/runs/sweeps_test.c. */
#include "db/runs/sweep_runs.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "db/runs/run_row.h"
#include "db/runs/runs.h"
#include "engine/run/run.h"
#include "engine/stats/summary_text.h"

#include <assert.h>
#include <limits.h>

#define ATTEMPTS_MAX 3

static struct sweep_row_run sweep_run_from(const struct run *run)
{
    long long us = run->started_us > 0 && run->ended_us > run->started_us
                       ? run->ended_us - run->started_us
                       : 0;

    return (struct sweep_row_run){.id = run->id,
                                  .seconds = (us + US_PER_SECOND - 1) / US_PER_SECOND,
                                  .ended_us = run->ended_us,
                                  .run = {.cell = (size_t)run->cell,
                                          .block = run->block,
                                          .state = run->state,
                                          .validity = run->validity,
                                          .is_void = run->voided.at_us > 0,
                                          .throughput = {.value = run->summary.samples_per_second,
                                                         .low = run->summary.throughput.low,
                                                         .high = run->summary.throughput.high}}};
}

/* Columns after the run's own: dollars an hour, and the text of the summary. */
enum { DOLLARS = RUN_COLUMN_COUNT, SUMMARY };

static struct time_shares read_shares(const char *text, const struct summary *summary)
{
    double steps = (double)summary->measured_steps, seconds = summary->measured_seconds;
    struct split_seconds split;
    bool known;

    if (!*text || !(seconds > 0) || !summary_split_from_text(text, &known, &split, NULL) ||
        !known)
        return (struct time_shares){.known = false};
    return (struct time_shares){.known = true,
                                .input = split.input * steps / seconds,
                                .compute = (split.forward + split.backward + split.update) *
                                           steps / seconds};
}

/* Reads the rows of the query; on failure the caller frees the rows read so far. */
static bool sweep_runs_collect(struct stmt *query, struct sweep_row_run **runs, size_t *count,
                               struct error *err)
{
    size_t room = 0;
    enum stmt_step step;

    while ((step = stmt_step(query, err)) == STMT_ROW) {
        AUTO(run_clear) struct run run = {0};

        *runs = xgrow(*runs, *count, &room, sizeof **runs);
        if (!run_from_row(query, &run, err))
            return false;
        (*runs)[*count] = sweep_run_from(&run);
        (*runs)[*count].run.shares = read_shares(stmt_column_text(query, SUMMARY), &run.summary);
        (*runs)[(*count)++].dollars_per_hour = stmt_column_real(query, DOLLARS);
    }
    return step == STMT_DONE;
}

bool sweeps_runs(struct db *db, long long number, struct sweep_row_run **ret_runs,
                 size_t *ret_count, struct error *err)
{
    AUTO(freep) struct sweep_row_run *runs = NULL;
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT " RUN_LIST_COLUMNS ", " RUN_DOLLARS
                                      ", summary FROM runs WHERE sweep = ? ORDER BY number",
                                      err);
    size_t count = 0;

    stmt_integer(query, number);
    if (!sweep_runs_collect(query, &runs, &count, err))
        return false;
    *ret_runs = take(&runs);
    *ret_count = count;
    return true;
}

/* Whether this is the latest run of its cell and block, and may be tried again. */
static bool may_have_another(const struct sweep_row_run *runs, size_t count, size_t index)
{
    const struct sweep_run *run = &runs[index].run;
    int attempts = 0;

    for (size_t i = 0; i < count; i++) {
        if (runs[i].run.cell != run->cell || runs[i].run.block != run->block)
            continue;
        attempts++;
        if (i > index)
            return false;
    }
    return attempts < ATTEMPTS_MAX;
}

static bool was_cut_short(const struct sweep_run *run)
{
    return run->state == RUN_INTERRUPTED || run->state == RUN_PREEMPTED;
}

static bool is_invalid(const struct sweep_run *run)
{
    return run->state == RUN_FINISHED && run->validity == VALIDITY_INVALID && !run->is_void;
}

/* A run limited to `seconds` still measures something: for at least half of them. */
static void cut_limits(struct run_spec *spec, long long seconds)
{
    if (spec->max_seconds <= seconds)
        return;
    spec->max_seconds = seconds;
    if (spec->min_seconds > seconds / 2)
        spec->min_seconds = seconds / 2;
}

static bool sweep_run_queue_again(struct db *db, const struct sweep_row *row,
                                  const struct sweep_run *run, long long seconds,
                                  struct run_order order, struct error *err)
{
    struct run_spec spec = row->cells[run->cell].spec;
    struct run_id id;

    cut_limits(&spec, seconds);
    assert(spec.max_seconds > 0 && spec.min_seconds <= spec.max_seconds);
    order.spec = &spec;
    order.cell = (long long)run->cell;
    order.block = run->block;
    return runs_add(db, &order, &id, err);
}

bool sweeps_requeue(struct db *db, const struct sweep_row *row, const char *instance,
                    long long now_us, struct error *err)
{
    const struct run_order order = {.now_us = now_us, .instance = instance, .sweep = row->number};
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(freep) struct sweep_row_run *runs = NULL;
    size_t count = 0, again = 0;

    if (!transaction_begin(&change, db, DB_DURABLE, err) ||
        !sweeps_runs(db, row->number, &runs, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].run.cell >= row->count || !was_cut_short(&runs[i].run) ||
            !may_have_another(runs, count, i))
            continue;
        if (!sweep_run_queue_again(db, row, &runs[i].run, LLONG_MAX, order, err))
            return false;
        again++;
    }
    return again == 0 || transaction_commit(&change, err);
}

/* The first run to repeat; `count` if there is none, or if some run has not ended. */
static size_t find_invalid(const struct sweep_row *row, const struct sweep_row_run *runs,
                           size_t count, long long seconds)
{
    size_t first = count;

    for (size_t i = count; i-- > 0;) {
        if (!run_state_is_final(runs[i].run.state))
            return count;
        if (runs[i].run.cell < row->count && is_invalid(&runs[i].run) &&
            runs[i].seconds <= seconds && may_have_another(runs, count, i))
            first = i;
    }
    return first;
}

bool sweeps_repeat(struct db *db, const struct sweep_row *row, struct sweep_repeat repeat,
                   bool *ret_queued, struct error *err)
{
    const struct run_order order = {
        .now_us = repeat.now_us, .instance = repeat.instance, .sweep = row->number};
    long long seconds = repeat.seconds - RUN_ENDING_SECONDS;
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(freep) struct sweep_row_run *runs = NULL;
    size_t count = 0, index;

    *ret_queued = false;
    if (seconds < 1)
        return true;
    if (!transaction_begin(&change, db, DB_DURABLE, err) ||
        !sweeps_runs(db, row->number, &runs, &count, err))
        return false;
    index = find_invalid(row, runs, count, seconds);
    if (index == count)
        return true;
    *ret_queued = sweep_run_queue_again(db, row, &runs[index].run, seconds, order, err) &&
                  transaction_commit(&change, err);
    return *ret_queued;
}
