/* Tested by tests/db/runs/run_states_test.c. */
#include "db/contenders/versions.h"

#include "common/cleanup.h"
#include "db/stmt.h"

bool versions_put(struct db *db, const char *name, long long *ret_number, struct error *err)
{
    static const char *const steps[] = {
        "SELECT number FROM versions WHERE name = ?",
        "INSERT INTO versions (name) VALUES (?) RETURNING number"};

    for (size_t i = 0;; i++) {
        AUTO(stmt_done) struct stmt *stmt = stmt_prepare(db, steps[i], err);
        enum stmt_step step;

        stmt_text(stmt, name);
        step = stmt_step(stmt, err);
        if (step == STMT_ROW)
            *ret_number = stmt_column_integer(stmt, 0);
        if (step != STMT_DONE || i == 1)
            return step == STMT_ROW;
    }
}
