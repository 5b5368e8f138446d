/* What the files of db/ know of a connection and the others need not. */
#pragma once

#include "db/stmt.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>

struct db {
    sqlite3 *handle;
    atomic_bool interrupted; /* since a look into it began; see verify.h */
    int synchronous;         /* the pragma as it stands, 0 before it was first set */
    /* Prepared once, used many times; found again by the address of their literal. */
    struct stmt *statements;
    size_t statement_count;
};

/* db_open() by a schema other than today's. */
struct schema;
struct db *db_open_schema(const char *path, const struct schema *schema, struct error *err)
    __attribute__((warn_unused_result));

/* A connection and no more: nothing in the file is looked at yet. `flags` are SQLite's. */
struct db *db_open_file(const char *path, int flags, struct error *err)
    __attribute__((warn_unused_result));

/* Runs SQL that answers nothing. */
bool db_execute(struct db *db, const char *sql, struct error *err)
    __attribute__((warn_unused_result));

/* What was read makes no sense, though SQLite did not mind. */
void db_note_damage(void);

/* Says what SQLite said, `doing` what. Always false. */
bool db_failed(struct error *err, int rc, const char *doing);
