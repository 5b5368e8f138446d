/* The inside of a connection, for db/ only. */
#pragma once

#include "common/error.h"
#include "db/prepared.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>

struct db {
    sqlite3 *handle;
    atomic_bool interrupted; /* since a check began; see verify.h */
    int synchronous;         /* the current value of the pragma; 0 before it was first set */
    /* Prepared once, used many times; found again by the address of their literal. */
    struct stmt *statements;
    size_t statement_count;
};

/* Runs SQL that returns no rows. */
MUST_USE bool db_execute(struct db *db, const char *sql, struct error *err);

/* Sets the error from SQLite's message, `doing` what; notes damage. Always false. */
bool db_failed(struct error *err, int rc, const char *doing);
