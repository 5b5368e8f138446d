#include "db/runs/machines.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "db/stmt.h"

#define MACHINE_COLUMNS "number, fingerprint, stratum, facts, seen_us"

void machine_row_clear(struct machine_row *machine)
{
    freep(&machine->fingerprint);
    freep(&machine->stratum);
    freep(&machine->facts);
}

static struct machine_row machine_from_row(struct stmt *row)
{
    return (struct machine_row){.number = stmt_column_integer(row, 0),
                                .fingerprint = xstrdup(stmt_column_text(row, 1)),
                                .stratum = xstrdup(stmt_column_text(row, 2)),
                                .facts = xstrdup(stmt_column_text(row, 3)),
                                .seen_us = stmt_column_integer(row, 4)};
}

bool machines_put(struct db *db, const struct machine_row *machine, long long *ret_number,
                  struct error *err)
{
    AUTO(stmt_done) struct stmt *insert = NULL, *query = NULL;

    insert = stmt_prepare(db,
                          "INSERT INTO machines (fingerprint, stratum, facts, seen_us)"
                          " VALUES (?, ?, ?, ?) ON CONFLICT (fingerprint) DO NOTHING",
                          err);
    stmt_text(insert, machine->fingerprint);
    stmt_text(insert, machine->stratum);
    stmt_text(insert, machine->facts);
    stmt_integer(insert, machine->seen_us);
    if (!stmt_run(insert, err))
        return false;
    query = stmt_prepare(db, "SELECT number FROM machines WHERE fingerprint = ?", err);
    if (!query)
        return false;
    stmt_text(query, machine->fingerprint);
    return stmt_take_number(query, ret_number, err);
}

static bool machine_correct(struct db *db, const struct machine_row *machine, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *update = stmt_prepare(db,
                                       "UPDATE machines SET stratum = ?1, facts = ?2"
                                       " WHERE fingerprint = ?3 AND (stratum, facts) <> (?1, ?2)",
                                       err);

    stmt_text(update, machine->stratum);
    stmt_text(update, machine->facts);
    stmt_text(update, machine->fingerprint);
    return stmt_run(update, err);
}

bool machines_store(struct db *db, const struct machine_row *machine, long long *ret_number,
                    struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_DURABLE, err) &&
           machines_put(db, machine, ret_number, err) && machine_correct(db, machine, err) &&
           transaction_commit(&change, err);
}

bool machines_find(struct db *db, const char *fingerprint, struct machine_row *ret_machine,
                   struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db, "SELECT " MACHINE_COLUMNS " FROM machines WHERE fingerprint = ?", err);
    enum stmt_step step;

    stmt_text(query, fingerprint);
    step = stmt_step(query, err);
    if (step == STMT_DONE)
        return error_set(err, ERROR_NOT_FOUND, NULL, "there is no machine %.40s", fingerprint);
    if (step == STMT_ROW)
        *ret_machine = machine_from_row(query);
    return step == STMT_ROW;
}

bool machines_each(struct db *db, long long limit,
                   void (*tell)(void *user, const struct machine_row *machine), void *user,
                   struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT " MACHINE_COLUMNS " FROM machines ORDER BY number DESC LIMIT ?", err);
    enum stmt_step step;

    stmt_integer(query, limit);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        AUTO(machine_row_clear) struct machine_row machine = machine_from_row(query);

        tell(user, &machine);
    }
    return step == STMT_DONE;
}
