/* A prepared statement. A failed step differs from the end of the rows, and reports the first
 * failed bind. NULL is a statement that could not be prepared: it binds nothing, and its step
 * fails, so only a step needs to be looked at.
 *     AUTO(stmt_done) struct stmt *query = stmt_prepare(db, "SELECT ... WHERE id = ?", err); */
#pragma once

#include "common/error.h"
#include "db/prepared.h"

#include <stdbool.h>
#include <stddef.h>

struct db;

enum stmt_step { STMT_ROW, STMT_DONE, STMT_FAILED };

/* `sql` must be a string literal: the connection caches the statement by its address. NULL on
 * failure. */
MUST_USE struct stmt *stmt_prepare(struct db *db, const char *sql, struct error *err);

/* Resets the statement for its next use. */
void stmt_done(struct stmt **stmt);

/* Bind the next ?, each before the first step; texts must live until stmt_done(), and a NULL
 * pointer binds NULL. */
void stmt_integer(struct stmt *stmt, long long number);
void stmt_real(struct stmt *stmt, double number);
void stmt_text(struct stmt *stmt, const char *text);
void stmt_bytes(struct stmt *stmt, const char *text, size_t length); /* of a text without a NUL */

MUST_USE enum stmt_step stmt_step(struct stmt *stmt, struct error *err);

/* Runs a statement without rows, and resets it for the next bind and step. */
MUST_USE bool stmt_run(struct stmt *stmt, struct error *err);

/* Runs a statement without rows that has one parameter. */
MUST_USE bool stmt_run_number(struct db *db, const char *sql, long long number,
                              struct error *err);
MUST_USE bool stmt_run_text(struct db *db, const char *sql, const char *text, struct error *err);

/* Steps a query of one row, and reads its first column. */
MUST_USE bool stmt_take_number(struct stmt *query, long long *ret_number, struct error *err);
MUST_USE bool stmt_take_truth(struct stmt *query, bool *ret_truth, struct error *err);

/* Steps a query: whether it has a row. */
MUST_USE bool stmt_finds(struct stmt *query, bool *ret_found, struct error *err);

/* Columns of the current row; NULL reads as 0 and "". */
long long stmt_column_integer(struct stmt *stmt, int column);
double stmt_column_real(struct stmt *stmt, int column);
const char *stmt_column_text(struct stmt *stmt, int column);
bool stmt_column_is_null(struct stmt *stmt, int column);

/* The type of a column of the current row; we store no BLOBs. */
enum stmt_kind { STMT_NULL, STMT_INTEGER, STMT_REAL, STMT_TEXT };
enum stmt_kind stmt_column_kind(struct stmt *stmt, int column);
int stmt_columns(struct stmt *stmt);

/* Runs a query without parameters that returns one number. */
MUST_USE bool stmt_number(struct db *db, const char *sql, long long *ret_number,
                          struct error *err);
