/* The part of sweeps.h about the runs of a sweep. */
#include "common/cleanup.h"
#include "db/run_row.h"
#include "db/runs.h"
#include "db/sweeps.h"

#define ATTEMPTS_MAX 3

static struct sweep_row_run from_run(const struct run *run)
{
    return (struct sweep_row_run){.id = run->id,
                                  .run = {.cell = (size_t)run->cell,
                                          .block = run->block,
                                          .state = run->state,
                                          .validity = run->validity,
                                          .throughput = {.value = run->summary.samples_per_second,
                                                         .low = run->summary.throughput.low,
                                                         .high = run->summary.throughput.high}}};
}

/* Reads what the query answers; on failure the caller frees what is there so far. */
static bool collect(struct stmt *query, struct sweep_row_run **runs, size_t *count,
                    struct error *err)
{
    size_t size = 0;
    enum stmt_step step;

    while ((step = stmt_step(query, err)) == STMT_ROW) {
        AUTO(run_clear) struct run run = {0};

        if (*count == size) {
            struct sweep_row_run *grown;

            size = size ? size * 2 : 32;
            grown = reallocarray(*runs, size, sizeof *grown);
            if (!grown)
                return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
            *runs = grown;
        }
        if (!run_from_row(query, &run, err))
            return false;
        (*runs)[(*count)++] = from_run(&run);
    }
    return step == STMT_DONE;
}

bool sweeps_runs(struct db *db, long long number, struct sweep_row_run **ret_runs,
                 size_t *ret_count, struct error *err)
{
    AUTO(freep) struct sweep_row_run *runs = NULL;
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT " RUN_LIST_COLUMNS " FROM runs WHERE sweep = ? ORDER BY number", err);
    size_t count = 0;

    if (!query)
        return false;
    stmt_integer(query, number);
    if (!collect(query, &runs, &count, err))
        return false;
    *ret_runs = take(&runs);
    *ret_count = count;
    return true;
}

/* Whether the latest run of this one's cell and block is this one, and may be tried again. */
static bool wants_another(const struct sweep_row_run *runs, size_t count, size_t index)
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
    return (run->state == RUN_INTERRUPTED || run->state == RUN_PREEMPTED) &&
           attempts < ATTEMPTS_MAX;
}

static bool queue_again(struct db *db, const struct sweep_row *row, const struct sweep_run *run,
                        struct run_order order, struct error *err)
{
    const char *text = row->cells[run->cell].spec_text;
    struct run_spec spec;
    struct run_id id;

    if (!run_spec_from_text(text, strlen(text), &spec, err))
        return false;
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
        if (runs[i].run.cell >= row->count || !wants_another(runs, count, i))
            continue;
        if (!queue_again(db, row, &runs[i].run, order, err))
            return false;
        again++;
    }
    return again == 0 || transaction_commit(&change, err);
}
