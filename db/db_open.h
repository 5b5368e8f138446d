/* Opens a connection to a database file. */
#pragma once

#include "db/db.h"
#include "db/schema.h"

/* Opens the file, makes it if it is missing, and brings its schema up to date. Refuses a file
 * that is not ours, or that a newer pennyworth has written. The caller gives the result back to
 * db_free(). */
MUST_USE struct db *db_open(const char *path, struct error *err);

/* Opens a database that another process may have open: makes no file, and does not upgrade a
 * schema that is in use. Needs no db_lock(). ERROR_NOT_FOUND, ERROR_CONFLICT. */
MUST_USE struct db *db_open_shared(const char *path, struct error *err);

/* db_open() with another schema than the current one. */
MUST_USE struct db *db_open_schema(const char *path, const struct schema *schema,
                                   struct error *err);

/* For db/ only: opens without reading the file; `flags` are SQLite's. */
MUST_USE struct db *db_open_file(const char *path, int flags, struct error *err);
