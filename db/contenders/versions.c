/* Tested by tests/db/standings/standings_test.c. */
#include "db/contenders/versions.h"

#include "common/cleanup.h"
#include "db/stmt.h"

static enum stmt_step ask_for_number(struct db *db, const char *sql, const char *name,
                                     long long *ret_number, struct error *err)
{
    AUTO(stmt_done) struct stmt *stmt = stmt_prepare(db, sql, err);
    enum stmt_step step;

    stmt_text(stmt, name);
    step = stmt_step(stmt, err);
    if (step == STMT_ROW)
        *ret_number = stmt_column_integer(stmt, 0);
    return step;
}

bool versions_put(struct db *db, const char *name, long long *ret_number, struct error *err)
{
    enum stmt_step step =
        ask_for_number(db, "SELECT number FROM versions WHERE name = ?", name, ret_number, err);

    if (step == STMT_DONE)
        step = ask_for_number(db, "INSERT INTO versions (name) VALUES (?) RETURNING number", name,
                              ret_number, err);
    return step == STMT_ROW;
}
