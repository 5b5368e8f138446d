#include "db/stmt.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "db/connection.h"

#include <assert.h>

static struct stmt *find_idle(struct db *db, const char *sql)
{
    for (struct stmt *stmt = db->statements; stmt; stmt = stmt->next)
        if (stmt->sql == sql && !stmt->busy)
            return stmt;
    return NULL;
}

/* Prepares a statement that the connection keeps until it closes. */
static struct stmt *stmt_add(struct db *db, const char *sql, struct error *err)
{
    sqlite3_stmt *handle;
    struct stmt *stmt;
    int rc = sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle, NULL);

    if (rc != SQLITE_OK) {
        db_failed(err, rc, sql);
        return NULL;
    }
    stmt = xcalloc(1, sizeof *stmt);
    stmt->handle = handle;
    stmt->sql = sql;
    stmt->next = db->statements;
    db->statements = stmt;
    db->statement_count++;
    return stmt;
}

struct stmt *stmt_prepare(struct db *db, const char *sql, struct error *err)
{
    struct stmt *stmt = find_idle(db, sql);

    if (!stmt)
        stmt = stmt_add(db, sql, err);
    if (!stmt)
        return NULL;
    stmt->busy = true;
    stmt->bound = 0;
    stmt->bind_error = SQLITE_OK;
    return stmt;
}

static void rewind_statement(struct stmt *stmt)
{
    sqlite3_reset(stmt->handle);
    sqlite3_clear_bindings(stmt->handle);
    stmt->bound = 0;
    stmt->bind_error = SQLITE_OK;
}

void stmt_done(struct stmt **stmt)
{
    if (!*stmt)
        return;
    rewind_statement(*stmt);
    (*stmt)->busy = false;
}

/* Whether nothing failed so far. */
static bool stmt_takes(const struct stmt *stmt)
{
    return stmt && stmt->bind_error == SQLITE_OK;
}

void stmt_integer(struct stmt *stmt, long long number)
{
    if (stmt_takes(stmt))
        stmt->bind_error = sqlite3_bind_int64(stmt->handle, ++stmt->bound, number);
}

void stmt_real(struct stmt *stmt, double number)
{
    if (stmt_takes(stmt))
        stmt->bind_error = sqlite3_bind_double(stmt->handle, ++stmt->bound, number);
}

void stmt_text(struct stmt *stmt, const char *text)
{
    if (stmt_takes(stmt))
        stmt->bind_error =
            sqlite3_bind_text(stmt->handle, ++stmt->bound, text, -1, SQLITE_STATIC);
}

void stmt_bytes(struct stmt *stmt, const char *text, size_t length)
{
    if (stmt_takes(stmt))
        stmt->bind_error = sqlite3_bind_text64(stmt->handle, ++stmt->bound, text, length,
                                               SQLITE_STATIC, SQLITE_UTF8);
}

enum stmt_step stmt_step(struct stmt *stmt, struct error *err)
{
    int rc;

    if (!stmt)
        return STMT_FAILED;
    assert(stmt->bind_error || stmt->bound == sqlite3_bind_parameter_count(stmt->handle));
    rc = stmt->bind_error ? stmt->bind_error : sqlite3_step(stmt->handle);

    if (rc == SQLITE_ROW)
        return STMT_ROW;
    if (rc == SQLITE_DONE)
        return STMT_DONE;
    db_failed(err, rc, stmt->sql);
    return STMT_FAILED;
}

bool stmt_run(struct stmt *stmt, struct error *err)
{
    bool ok = stmt_step(stmt, err) == STMT_DONE;

    if (stmt)
        rewind_statement(stmt);
    return ok;
}

long long stmt_column_integer(struct stmt *stmt, int column)
{
    return sqlite3_column_int64(stmt->handle, column);
}

double stmt_column_real(struct stmt *stmt, int column)
{
    return sqlite3_column_double(stmt->handle, column);
}

bool stmt_column_is_null(struct stmt *stmt, int column)
{
    return sqlite3_column_type(stmt->handle, column) == SQLITE_NULL;
}

const char *stmt_column_text(struct stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt->handle, column);

    return text ? text : "";
}

enum stmt_kind stmt_column_kind(struct stmt *stmt, int column)
{
    switch (sqlite3_column_type(stmt->handle, column)) {
    case SQLITE_NULL:
        return STMT_NULL;
    case SQLITE_INTEGER:
        return STMT_INTEGER;
    case SQLITE_FLOAT:
        return STMT_REAL;
    default:
        return STMT_TEXT;
    }
}

int stmt_columns(struct stmt *stmt)
{
    return sqlite3_column_count(stmt->handle);
}

bool stmt_number(struct db *db, const char *sql, long long *ret_number, struct error *err)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);

    return stmt_take_number(query, ret_number, err);
}

bool stmt_run_number(struct db *db, const char *sql, long long number, struct error *err)
{
    AUTO(stmt_done) struct stmt *stmt = stmt_prepare(db, sql, err);

    stmt_integer(stmt, number);
    return stmt_run(stmt, err);
}

bool stmt_run_text(struct db *db, const char *sql, const char *text, struct error *err)
{
    AUTO(stmt_done) struct stmt *stmt = stmt_prepare(db, sql, err);

    stmt_text(stmt, text);
    return stmt_run(stmt, err);
}

bool stmt_take_number(struct stmt *query, long long *ret_number, struct error *err)
{
    if (stmt_step(query, err) != STMT_ROW)
        return false;
    *ret_number = stmt_column_integer(query, 0);
    return true;
}

bool stmt_take_truth(struct stmt *query, bool *ret_truth, struct error *err)
{
    long long number;

    if (!stmt_take_number(query, &number, err))
        return false;
    *ret_truth = number != 0;
    return true;
}

bool stmt_finds(struct stmt *query, bool *ret_found, struct error *err)
{
    enum stmt_step step = stmt_step(query, err);

    *ret_found = step == STMT_ROW;
    return step != STMT_FAILED;
}
