#include "db/runs/runs.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/checksum.h"
#include "db/contenders/contenders.h"
#include "db/contenders/versions.h"
#include "db/runs/run_row.h"
#include "engine/run/batch.h"
#include "engine/run/version.h"
#include "engine/spec/run_spec_text.h"

#include <assert.h>

/* Runs a query for at most one run. */
static bool runs_read_one(struct stmt *query, struct run *ret_run, bool *ret_found,
                          struct error *err)
{
    enum stmt_step step = stmt_step(query, err);

    *ret_found = step == STMT_ROW;
    return step == STMT_ROW ? run_from_row(query, ret_run, err) : step == STMT_DONE;
}

static bool find_by_key(struct db *db, const char *key, struct run *ret_run, bool *ret_found,
                        struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db, "SELECT " RUN_COLUMNS " FROM runs WHERE idempotency_key = ?", err);

    stmt_text(query, key);
    return runs_read_one(query, ret_run, ret_found, err);
}

static bool there_is_no(const char *id, struct error *err)
{
    return error_set(err, ERROR_NOT_FOUND, NULL, "there is no run %.40s", id);
}

bool runs_find(struct db *db, const char *id, struct run *ret_run, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db, "SELECT " RUN_COLUMNS " FROM runs WHERE id = ?", err);
    bool found;

    stmt_text(query, id);
    if (!runs_read_one(query, ret_run, &found, err))
        return false;
    return found || there_is_no(id, err);
}

bool runs_check_room(struct db *db, long long more, long long limit, struct error *err)
{
    long long waiting;

    if (!stmt_number(db, "SELECT count(*) FROM runs WHERE state = 'queued'", &waiting, err))
        return false;
    return waiting + more <= limit ||
           error_set(err, ERROR_FULL, NULL,
                     "the queue is full: %lld of at most %lld runs are waiting", waiting, limit);
}

static bool insert_run(struct db *db, const struct run_row *row, long long *ret_number,
                       struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(db,
                                       "INSERT INTO runs (" RUN_QUEUED_COLUMNS
                                       ") VALUES (" RUN_QUEUED_HOLES ") RETURNING number",
                                       err);

    run_row_bind(insert, row, RUN_WRITE_QUEUED);
    return stmt_take_number(insert, ret_number, err);
}

bool runs_add(struct db *db, const struct run_order *order, struct run_id *ret_id,
              struct error *err)
{
    AUTO(run_clear)
    struct run run = {.state = RUN_QUEUED,
                      .spec = *order->spec,
                      .created_us = order->now_us,
                      .cell = order->cell,
                      .block = order->block};
    AUTO(freep) char *spec = run_spec_to_text(order->spec);
    const struct run_row row = {.run = &run,
                                .spec = spec,
                                .idempotency_key = order->idempotency_key,
                                .sweep = order->sweep};
    long long number;

    assert(order->sweep > 0 || (order->cell == 0 && order->block == 0));
    if (order->instance)
        snprintf(run.instance, sizeof run.instance, "%s", order->instance);
    if (!run_id_new(order->now_us, &run.id, err) || !insert_run(db, &row, &number, err) ||
        !run_insert_labels(db, number, order->spec, err))
        return false;
    *ret_id = run.id;
    return true;
}

/* Whether a run was requested with this spec. Its batch may have been chosen since then. */
static bool is_spec_of(const struct run *run, const struct run_spec *spec)
{
    struct run_spec before = run->spec;
    AUTO(freep) char *text = run_spec_to_text(spec);
    AUTO(freep) char *text_before = NULL;

    if (spec->batch_size == FIELD_IS_AUTO)
        before.batch_size = FIELD_IS_AUTO;
    text_before = run_spec_to_text(&before);
    return strcmp(text, text_before) == 0;
}

/* The part of runs_create() for a key seen before. */
static bool runs_replay(struct db *db, const struct run_order *order, struct run *ret_run,
                        bool *ret_replayed, struct error *err)
{
    struct run before = {0};

    *ret_replayed = false;
    if (!order->idempotency_key)
        return true;
    if (!find_by_key(db, order->idempotency_key, &before, ret_replayed, err))
        return false;
    if (*ret_replayed && !is_spec_of(&before, order->spec)) {
        run_clear(&before);
        return error_set(err, ERROR_MISMATCH, "Idempotency-Key",
                         "was used before for another spec");
    }
    if (*ret_replayed)
        *ret_run = before;
    return true;
}

bool runs_create(struct db *db, const struct run_order *order, struct run *ret_run,
                 bool *ret_replayed, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    struct run_id id;
    bool replayed;

    if (!transaction_begin(&change, db, DB_DURABLE, err))
        return false;
    if (!runs_replay(db, order, ret_run, &replayed, err))
        return false;
    *ret_replayed = replayed;
    if (replayed)
        return true;
    return runs_check_room(db, 1, order->queue_limit, err) &&
           (!order->may || order->may(order->user, 1)) && runs_add(db, order, &id, err) &&
           transaction_commit(&change, err) && runs_find(db, id.text, ret_run, err);
}

bool runs_claim(struct db *db, long long now_us, long long machine, struct run *ret_run,
                bool *ret_found, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(stmt_done) struct stmt *claim = NULL;
    bool found;

    if (!transaction_begin(&change, db, DB_DURABLE, err))
        return false;
    claim = stmt_prepare(db,
                         "UPDATE runs SET state = 'running', started_us = max(created_us, ?),"
                         " machine = ?"
                         " WHERE number ="
                         " (SELECT min(number) FROM runs WHERE state = 'queued')"
                         " RETURNING " RUN_COLUMNS,
                         err);
    stmt_integer(claim, now_us);
    if (machine > 0)
        stmt_integer(claim, machine);
    else
        stmt_text(claim, NULL);
    if (!runs_read_one(claim, ret_run, &found, err))
        return false;
    stmt_done(&claim); /* SQLite cannot commit with a statement under way */
    if (!transaction_commit(&change, err)) {
        if (found)
            run_clear(ret_run);
        return false;
    }
    assert(!found ||
           (ret_run->state == RUN_RUNNING && ret_run->started_us >= ret_run->created_us));
    *ret_found = found;
    return true;
}

bool runs_settle_spec(struct db *db, const struct run *run, struct error *err)
{
    AUTO(freep) char *spec = run_spec_to_text(&run->spec);
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(stmt_done) struct stmt *update = NULL;

    assert(run->state == RUN_RUNNING && run->number > 0);
    if (!transaction_begin(&change, db, DB_DURABLE, err))
        return false;
    update =
        stmt_prepare(db, "UPDATE runs SET spec = ? WHERE number = ? AND state = 'running'", err);
    stmt_text(update, spec);
    stmt_integer(update, run->number);
    if (stmt_step(update, err) != STMT_DONE)
        return false;
    stmt_done(&update); /* SQLite cannot commit with a statement under way */
    return transaction_commit(&change, err);
}

bool runs_batch_of_cell(struct db *db, const struct run *run, long long *ret_batch,
                        struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT spec, validity = 'invalid' AND measured_steps < ?4 FROM runs"
        " WHERE sweep = (SELECT number FROM sweeps WHERE id = ?1) AND cell = ?2 AND number <> ?3"
        " ORDER BY number DESC",
        err);
    struct run_spec spec = {.batch_size = FIELD_IS_AUTO};
    enum stmt_step step = STMT_DONE;

    *ret_batch = 0;
    stmt_text(query, run->sweep.text);
    stmt_integer(query, run->cell);
    stmt_integer(query, run->number);
    stmt_integer(query, BATCH_STEPS_COUNTED);
    while (spec.batch_size == FIELD_IS_AUTO && (step = stmt_step(query, err)) == STMT_ROW)
        if (!run_spec_from_stored(stmt_column_text(query, 0), &spec, err))
            return false;
    if (step != STMT_ROW)
        return step == STMT_DONE;
    *ret_batch = spec.batch_size;
    if (stmt_column_integer(query, 1) && *ret_batch >= 2 * BATCH_LEAST)
        *ret_batch /= 2;
    return true;
}

/* The numbers that a finished run has in comparisons. */
static bool runs_classify(struct db *db, struct run_row *row, struct error *err)
{
    char version[RUN_VERSION_SIZE];

    return row->run->state != RUN_FINISHED ||
           (contenders_touch_run(db, row->run, &row->contender, err) &&
            run_version_name(row->run, version, err) &&
            versions_put(db, version, &row->version, err));
}

bool runs_end(struct db *db, const struct run *run, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(freep) char *load = run->load.processors > 0 ? load_to_text(&run->load) : NULL;
    AUTO(stmt_done) struct stmt *update = NULL;
    struct run_row row = {.run = run, .load = load};
    enum stmt_step step;

    assert(run_state_is_final(run->state) && run->number > 0);

    if (!transaction_begin(&change, db, DB_DURABLE, err) || !runs_classify(db, &row, err))
        return false;
    update = stmt_prepare(db,
                          "UPDATE runs SET (" RUN_ENDED_COLUMNS ") = (" RUN_ENDED_HOLES ")"
                          " WHERE number = ? AND state = 'running' RETURNING number",
                          err);
    assert((run->state == RUN_FINISHED) == (row.contender > 0));
    run_row_bind(update, &row, RUN_WRITE_ENDED);
    stmt_integer(update, run->number);
    step = stmt_step(update, err);
    stmt_done(&update); /* SQLite cannot commit with a statement under way */
    if (step == STMT_DONE)
        return error_set(err, ERROR_CONFLICT, NULL, "the run %s is not running", run->id.text);
    return step == STMT_ROW &&
           run_insert_implementations(db, run->number, run->implementations, err) &&
           checksum_put(db, run->number, err) && transaction_commit(&change, err);
}

bool runs_implementations(struct db *db, const char *id, char **ret_text, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT implementations FROM runs"
                                      " LEFT JOIN run_implementations ON run = number"
                                      " WHERE id = ?",
                                      err);
    enum stmt_step step;

    stmt_text(query, id);
    step = stmt_step(query, err);
    if (step == STMT_DONE)
        return there_is_no(id, err);
    if (step != STMT_ROW)
        return false;

    const char *text = stmt_column_text(query, 0);
    *ret_text = *text ? xstrdup(text) : NULL;
    return true;
}

static bool cancel_queued(struct db *db, const char *id, long long now_us, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(stmt_done) struct stmt *update = NULL;

    if (!transaction_begin(&change, db, DB_DURABLE, err))
        return false;
    update = stmt_prepare(db,
                          "UPDATE runs SET state = 'cancelled', ended_us = max(created_us, ?)"
                          " WHERE id = ? AND state = 'queued'",
                          err);
    stmt_integer(update, now_us);
    stmt_text(update, id);
    return stmt_run(update, err) && transaction_commit(&change, err);
}

bool runs_cancel(struct db *db, const char *id, long long now_us, struct run *ret_run,
                 struct error *err)
{
    struct run before, after;

    if (!runs_find(db, id, &before, err))
        return false;
    enum run_state state = before.state;
    run_clear(&before);
    if (run_state_is_final(state))
        return error_set(err, ERROR_CONFLICT, NULL, "the run is %s already",
                         run_state_name(state));
    if (!cancel_queued(db, id, now_us, err) || !runs_find(db, id, &after, err))
        return false;
    assert(after.state != RUN_QUEUED);
    if (run_state_is_final(after.state) && after.state != RUN_CANCELLED) {
        error_set(err, ERROR_CONFLICT, NULL, "the run is %s already",
                  run_state_name(after.state));
        run_clear(&after);
        return false;
    }
    *ret_run = after;
    return true;
}

bool runs_orphan(struct db *db, struct run *ret_run, bool *ret_found, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT " RUN_COLUMNS " FROM runs WHERE state = 'running' ORDER BY number LIMIT 1",
        err);

    return runs_read_one(query, ret_run, ret_found, err);
}

bool runs_count(struct db *db, long long ret_counts[RUN_STATES], struct error *err)
{
    for (int state = 0; state < RUN_STATES; state++) {
        AUTO(stmt_done)
        struct stmt *query = stmt_prepare(db, "SELECT count(*) FROM runs WHERE state = ?", err);

        stmt_text(query, run_state_names[state]);
        if (!stmt_take_number(query, &ret_counts[state], err))
            return false;
    }
    return true;
}
