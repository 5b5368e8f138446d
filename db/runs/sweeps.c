#include "db/runs/sweeps.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/runs/runs.h"
#include "db/stmt.h"
#include "engine/spec/run_spec_text.h"
#include "engine/sweep/sweep_order.h"

#include <assert.h>

#define SWEEP_COLUMNS "number, id, state, request, created_us, ended_us, rounds"

const char *const sweep_state_names[] = {[SWEEP_RUNNING] = "running",
                                         [SWEEP_FINISHED] = "finished",
                                         [SWEEP_CANCELLED] = "cancelled",
                                         NULL};

void sweep_row_clear(struct sweep_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        free(row->cells[i].name);
        free(row->cells[i].refused);
    }
    freep(&row->cells);
    freep(&row->request);
    *row = (struct sweep_row){0};
}

static bool insert_cell(struct db *db, long long number, const struct sweep_order *order,
                        size_t index, struct error *err)
{
    const struct sweep_cell *cell = &order->sweep->cells[index];
    AUTO(freep) char *spec = run_spec_to_text(&cell->spec);
    AUTO(stmt_done)
    struct stmt *insert =
        stmt_prepare(db,
                     "INSERT INTO sweep_cells (sweep, cell, round, name, spec, refused)"
                     " VALUES (?, ?, ?, ?, ?, ?)",
                     err);

    stmt_integer(insert, number);
    stmt_integer(insert, (long long)index);
    stmt_integer(insert, order->round);
    stmt_text(insert, cell->name);
    stmt_text(insert, spec);
    stmt_text(insert, cell->refused[0] ? cell->refused : NULL);
    return stmt_run(insert, err);
}

/* The cells of this round that can run. */
static size_t possible_cells(const struct sweep_order *order, size_t ret_cells[SWEEP_CELLS_MAX])
{
    size_t count = 0;

    for (size_t i = order->first; i < order->sweep->count; i++)
        if (!order->sweep->cells[i].refused[0])
            ret_cells[count++] = i;
    return count;
}

static bool sweep_add_runs(struct db *db, long long number, const char *seed,
                           const struct sweep_order *order, struct error *err)
{
    size_t cells[SWEEP_CELLS_MAX], sequence[SWEEP_CELLS_MAX];
    size_t count = possible_cells(order, cells);

    for (long long block = 0; block < order->blocks; block++) {
        sweep_order(seed, block, count, sequence);
        for (size_t i = 0; i < count; i++) {
            size_t cell = cells[sequence[i]];
            const struct run_order run = {.spec = &order->sweep->cells[cell].spec,
                                          .instance = order->instance,
                                          .now_us = order->now_us,
                                          .sweep = number,
                                          .cell = (long long)cell,
                                          .block = block};
            struct run_id id;

            if (!runs_add(db, &run, &id, err))
                return false;
        }
    }
    return true;
}

static bool sweep_add_round(struct db *db, long long number, const char *seed,
                            const struct sweep_order *order, struct error *err)
{
    size_t cells[SWEEP_CELLS_MAX];
    long long runs = (long long)possible_cells(order, cells) * order->blocks;

    assert(order->first < order->sweep->count && order->blocks > 0);

    if (!runs_check_room(db, runs, order->queue_limit, err))
        return false;
    for (size_t i = order->first; i < order->sweep->count; i++)
        if (!insert_cell(db, number, order, i, err))
            return false;
    return sweep_add_runs(db, number, seed, order, err);
}

/* The sweep with a key, if any. */
static bool sweeps_replay(struct db *db, const struct sweep_order *order, struct run_id *ret_id,
                          bool *ret_replayed, struct error *err)
{
    AUTO(stmt_done) struct stmt *query = NULL;
    enum stmt_step step;

    *ret_replayed = false;
    if (!order->idempotency_key)
        return true;
    query = stmt_prepare(db, "SELECT id, request FROM sweeps WHERE idempotency_key = ?", err);
    stmt_text(query, order->idempotency_key);
    step = stmt_step(query, err);
    if (step != STMT_ROW)
        return step == STMT_DONE;
    if (strcmp(stmt_column_text(query, 1), order->request) != 0)
        return error_set(err, ERROR_MISMATCH, "Idempotency-Key",
                         "was used before for another request");
    TEXT_COPY(ret_id->text, stmt_column_text(query, 0));
    *ret_replayed = true;
    return true;
}

static bool insert_sweep(struct db *db, const struct sweep_order *order, const struct run_id *id,
                         long long *ret_number, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(db,
                                       "INSERT INTO sweeps (id, request, idempotency_key,"
                                       " created_us) VALUES (?, ?, ?, ?) RETURNING number",
                                       err);

    stmt_text(insert, id->text);
    stmt_text(insert, order->request);
    stmt_text(insert, order->idempotency_key);
    stmt_integer(insert, order->now_us);
    return stmt_take_number(insert, ret_number, err);
}

bool sweeps_create(struct db *db, const struct sweep_order *order, struct run_id *ret_id,
                   bool *ret_replayed, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    long long number;
    struct run_id id;

    assert(order->first == 0);
    if (!transaction_begin(&change, db, DB_DURABLE, err) ||
        !sweeps_replay(db, order, ret_id, ret_replayed, err))
        return false;
    if (*ret_replayed)
        return true;
    if (order->may && !order->may(order->user, order->runs))
        return false;
    if (!run_id_new(order->now_us, &id, err) || !insert_sweep(db, order, &id, &number, err) ||
        !sweep_add_round(db, number, id.text, order, err) || !transaction_commit(&change, err))
        return false;
    *ret_id = id;
    return true;
}

bool sweeps_add_round(struct db *db, const struct sweep_row *row, const struct sweep_order *order,
                      struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(stmt_done) struct stmt *update = NULL;

    assert(order->first == row->count && order->round == row->rounds);
    if (!transaction_begin(&change, db, DB_DURABLE, err))
        return false;
    update = stmt_prepare(
        db, "UPDATE sweeps SET rounds = rounds + 1 WHERE number = ? AND state = 'running'", err);
    stmt_integer(update, row->number);
    return stmt_run(update, err) && sweep_add_round(db, row->number, row->id.text, order, err) &&
           transaction_commit(&change, err);
}

static enum sweep_state sweep_state_from_name(const char *name)
{
    for (size_t i = 0; sweep_state_names[i]; i++)
        if (strcmp(sweep_state_names[i], name) == 0)
            return (enum sweep_state)i;
    return SWEEP_CANCELLED; /* the CHECK on the column leaves no other */
}

static struct sweep_row sweep_from_row(struct stmt *query)
{
    struct sweep_row row = {.number = stmt_column_integer(query, 0),
                            .state = sweep_state_from_name(stmt_column_text(query, 2)),
                            .request = xstrdup(stmt_column_text(query, 3)),
                            .created_us = stmt_column_integer(query, 4),
                            .ended_us = stmt_column_integer(query, 5),
                            .rounds = stmt_column_integer(query, 6)};

    TEXT_COPY(row.id.text, stmt_column_text(query, 1));
    return row;
}

static bool cell_from_row(struct stmt *query, struct sweep_row_cell *ret_cell, struct error *err)
{
    const char *refused = stmt_column_text(query, 2);

    if (!run_spec_from_stored(stmt_column_text(query, 1), &ret_cell->spec, err))
        return false;
    ret_cell->name = xstrdup(stmt_column_text(query, 0));
    ret_cell->refused = *refused ? xstrdup(refused) : NULL;
    ret_cell->round = stmt_column_integer(query, 3);
    return true;
}

static bool load_cells(struct db *db, struct sweep_row *row, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT name, spec, refused, round FROM sweep_cells"
                                      " WHERE sweep = ? ORDER BY cell",
                                      err);
    size_t room = 0;
    enum stmt_step step;

    stmt_integer(query, row->number);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        row->cells = xgrow(row->cells, row->count, &room, sizeof *row->cells);
        if (!cell_from_row(query, &row->cells[row->count], err))
            return false;
        row->count++;
    }
    return step == STMT_DONE;
}

bool sweeps_find(struct db *db, const char *id, struct sweep_row *ret_row, struct error *err)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db, "SELECT " SWEEP_COLUMNS " FROM sweeps WHERE id = ?", err);
    enum stmt_step step;

    stmt_text(query, id);
    step = stmt_step(query, err);
    if (step == STMT_DONE)
        return error_set(err, ERROR_NOT_FOUND, NULL, "there is no sweep %.40s", id);
    if (step != STMT_ROW)
        return false;
    row = sweep_from_row(query);
    if (!load_cells(db, &row, err))
        return false;
    *ret_row = row;
    row = (struct sweep_row){0};
    return true;
}

bool sweeps_next_running(struct db *db, long long after, struct run_id *ret_id, bool *ret_found,
                         struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT id FROM sweeps WHERE state = 'running'"
                                      " AND number > ? ORDER BY number LIMIT 1",
                                      err);
    enum stmt_step step;

    stmt_integer(query, after);
    step = stmt_step(query, err);
    *ret_found = step == STMT_ROW;
    if (*ret_found)
        TEXT_COPY(ret_id->text, stmt_column_text(query, 0));
    return step != STMT_FAILED;
}

bool sweeps_each(struct db *db, long long before, long long limit,
                 void (*tell)(void *user, const struct sweep_row *row), void *user,
                 struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT " SWEEP_COLUMNS " FROM sweeps WHERE ?1 = 0 OR number < ?1"
                     " ORDER BY number DESC LIMIT ?2",
                     err);
    enum stmt_step step;

    stmt_integer(query, before);
    stmt_integer(query, limit);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        AUTO(sweep_row_clear) struct sweep_row row = sweep_from_row(query);

        tell(user, &row);
    }
    return step == STMT_DONE;
}

static bool end_queued_runs(struct db *db, const char *id, long long now_us, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *update =
        stmt_prepare(db,
                     "UPDATE runs SET state = 'cancelled', ended_us = max(created_us, ?)"
                     " WHERE state = 'queued'"
                     " AND sweep = (SELECT number FROM sweeps WHERE sweeps.id = ?)",
                     err);

    stmt_integer(update, now_us);
    stmt_text(update, id);
    return stmt_run(update, err);
}

bool sweeps_end(struct db *db, const char *id, enum sweep_state state, long long now_us,
                struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(stmt_done) struct stmt *update = NULL;
    enum stmt_step step;

    assert(state != SWEEP_RUNNING);
    if (!transaction_begin(&change, db, DB_DURABLE, err))
        return false;
    update =
        stmt_prepare(db,
                     "UPDATE sweeps SET state = ?, ended_us = max(created_us, ?) WHERE id = ?"
                     " AND state = 'running' RETURNING number",
                     err);
    stmt_text(update, sweep_state_names[state]);
    stmt_integer(update, now_us);
    stmt_text(update, id);
    step = stmt_step(update, err);
    stmt_done(&update); /* SQLite cannot commit with a statement under way */
    if (step == STMT_DONE)
        return error_set(err, ERROR_CONFLICT, NULL, "the sweep has ended already");
    return step == STMT_ROW &&
           (state != SWEEP_CANCELLED || end_queued_runs(db, id, now_us, err)) &&
           transaction_commit(&change, err);
}
