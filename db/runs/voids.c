#include "db/runs/voids.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/contenders/contenders.h"
#include "db/runs/runs.h"
#include "db/stmt.h"

#include <assert.h>
#include <stdio.h>

/* The next comparison must read the contender of the run again. */
static bool contender_touch(struct db *db, long long run, struct error *err)
{
    return revision_touch_runs(db, err) && contenders_changed_by_run(db, run, err);
}

/* A clock that went back must not give two voids the same time. */
static bool insert_void(struct db *db, long long run, const struct taken_back *voided,
                        struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(
        db,
        "INSERT INTO voids (run, at_us, who, reason, contender) SELECT number, max(?1,"
        " (SELECT ifnull(max(at_us), 0) + 1 FROM voids WHERE run = ?2)), ?3, ?4, contender"
        " FROM runs WHERE number = ?2",
        err);

    stmt_integer(insert, voided->at_us);
    stmt_integer(insert, run);
    stmt_text(insert, voided->by);
    stmt_text(insert, voided->reason);
    return stmt_run(insert, err);
}

static bool take_contender(struct db *db, long long run, struct error *err)
{
    return stmt_run_number(db, "UPDATE runs SET contender = NULL WHERE number = ?", run, err);
}

bool voids_add(struct db *db, long long run, const struct taken_back *voided, struct error *err)
{
    assert(run > 0 && voided->at_us != 0); /* 0 is none */
    return contender_touch(db, run, err) && insert_void(db, run, voided, err) &&
           take_contender(db, run, err);
}

bool voids_put(struct db *db, const char *id, const struct taken_back *voided,
               struct run *ret_run, bool *ret_changed, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(run_clear) struct run run = {0};

    if (!transaction_begin(&change, db, DB_DURABLE, err) || !runs_find(db, id, &run, err))
        return false;
    if (!run_state_is_final(run.state))
        return error_set(err, ERROR_CONFLICT, NULL,
                         "the run is %s: only a run that has ended can be voided",
                         run_state_name(run.state));
    *ret_changed = run.voided.at_us == 0;
    if (*ret_changed &&
        (!voids_add(db, run.number, voided, err) || !transaction_commit(&change, err)))
        return false;
    return runs_find(db, id, ret_run, err);
}

#define OF_SENDER " FROM runs INDEXED BY runs_by_sender WHERE sender = ?1"

static bool insert_voids(struct db *db, const char *sender, const struct taken_back *voided,
                         struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert =
        stmt_prepare(db,
                     "INSERT INTO voids (run, at_us, who, reason, contender) SELECT number,"
                     " max(?2, (SELECT ifnull(max(at_us), 0) + 1 FROM voids WHERE run = number)),"
                     " ?3, ?4, contender" OF_SENDER " AND NOT EXISTS (SELECT 1 FROM voids"
                     " WHERE run = number AND lifted_us IS NULL)",
                     err);

    stmt_text(insert, sender);
    stmt_integer(insert, voided->at_us);
    stmt_text(insert, voided->by);
    stmt_text(insert, voided->reason);
    return stmt_run(insert, err);
}

bool voids_put_sender(struct db *db, const char *sender, const struct taken_back *voided,
                      long long *ret_count, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    if (!transaction_begin(&change, db, DB_DURABLE, err) || !revision_touch_runs(db, err) ||
        !stmt_run_text(db,
                       "UPDATE contenders SET changed = (SELECT number FROM revision)"
                       " WHERE number IN (SELECT contender" OF_SENDER ")",
                       sender, err) ||
        !insert_voids(db, sender, voided, err) ||
        !stmt_number(db, "SELECT changes()", ret_count, err))
        return false;
    return stmt_run_text(
               db,
               "UPDATE runs SET contender = NULL WHERE number IN (SELECT number" OF_SENDER
               " AND contender IS NOT NULL)",
               sender, err) &&
           transaction_commit(&change, err);
}

static bool give_contender_back(struct db *db, long long run, struct error *err)
{
    return stmt_run_number(db,
                           "UPDATE runs SET contender = (SELECT contender FROM voids"
                           " WHERE run = ?1 AND lifted_us IS NULL) WHERE number = ?1",
                           run, err);
}

static bool mark_lifted(struct db *db, long long run, const struct taken_back *lifted,
                        struct error *err)
{
    AUTO(stmt_done)
    struct stmt *update =
        stmt_prepare(db,
                     "UPDATE voids SET lifted_us = ?, lifted_by = ?, lifted_reason = ?"
                     " WHERE run = ? AND lifted_us IS NULL",
                     err);

    stmt_integer(update, lifted->at_us);
    stmt_text(update, lifted->by);
    stmt_text(update, lifted->reason);
    stmt_integer(update, run);
    return stmt_run(update, err);
}

bool voids_lift(struct db *db, const char *id, const struct taken_back *lifted,
                struct run *ret_run, bool *ret_changed, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(run_clear) struct run run = {0};

    if (!transaction_begin(&change, db, DB_DURABLE, err) || !runs_find(db, id, &run, err))
        return false;
    *ret_changed = run.voided.at_us != 0;
    if (*ret_changed &&
        (!give_contender_back(db, run.number, err) || !mark_lifted(db, run.number, lifted, err) ||
         !contender_touch(db, run.number, err) || !transaction_commit(&change, err)))
        return false;
    return runs_find(db, id, ret_run, err);
}

static void read_taken(struct stmt *row, int column, struct taken_back *ret_taken)
{
    ret_taken->at_us = stmt_column_integer(row, column);
    TEXT_COPY(ret_taken->by, stmt_column_text(row, column + 1));
    TEXT_COPY(ret_taken->reason, stmt_column_text(row, column + 2));
}

bool voids_each(struct db *db, const char *id,
                void (*tell)(void *user, const struct void_row *row), void *user,
                struct error *err)
{
    AUTO(run_clear) struct run run = {0};
    AUTO(stmt_done) struct stmt *query = NULL;
    enum stmt_step step;

    if (!runs_find(db, id, &run, err))
        return false;
    query = stmt_prepare(db,
                         "SELECT at_us, who, reason, lifted_us, lifted_by, lifted_reason"
                         " FROM voids WHERE run = ? ORDER BY at_us",
                         err);
    stmt_integer(query, run.number);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        struct void_row row;

        read_taken(query, 0, &row.voided);
        read_taken(query, 3, &row.lifted);
        tell(user, &row);
    }
    return step == STMT_DONE;
}
