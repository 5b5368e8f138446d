/* Tested by tests/db/db_test.c and tests/db/db_lock_test.c. */
#include "db/db_open.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "db/connection.h"
#include "db/db_lock.h"
#include "db/stmt.h"

#include <errno.h>
#include <sys/stat.h>

struct db *db_open_file(const char *path, int flags, struct error *err)
{
    AUTO(db_freep) struct db *db = xcalloc(1, sizeof *db);
    int rc;

    rc = sqlite3_open_v2(path, &db->handle, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc != SQLITE_OK) {
        error_set(err, ERROR_INTERNAL, NULL, "cannot open the database %s: %s", path,
                  sqlite3_errstr(rc));
        return NULL;
    }
    sqlite3_extended_result_codes(db->handle, 1);
    db_set_patience(db, DB_PATIENCE_MS);
    return take(&db);
}

struct db *db_open_schema(const char *path, const struct schema *schema, struct error *err)
{
    AUTO(db_freep)
    struct db *db = db_open_file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);

    /* The file may still be empty: check its schema before WAL mode writes to it. */
    if (!db || !schema_check(db, schema, err) ||
        !db_execute(db, "PRAGMA journal_mode = WAL", err) ||
        !db_execute(db, "PRAGMA foreign_keys = ON", err) || !schema_upgrade(db, schema, err))
        return NULL;
    return take(&db);
}

struct db *db_open(const char *path, struct error *err)
{
    return db_open_schema(path, &schema_today, err);
}

static bool is_current(const char *path, struct error *err)
{
    AUTO(db_freep) struct db *db = db_open_file(path, SQLITE_OPEN_READWRITE, err);
    long long version;

    if (!db || !schema_check(db, &schema_today, err) ||
        !stmt_number(db, "PRAGMA user_version", &version, err))
        return false;
    return version == schema_today.version ||
           error_set(err, ERROR_CONFLICT, NULL,
                     "the database %s is in use by an older pennyworth: stop that one first",
                     path);
}

/* The log of SQLite has the name by which the file was opened, whatever symbolic links lead
 * there. A file with two hard links would get two logs, and lose what is in one of them. The lock
 * of the name says that the process in the way uses this one. */
static bool has_one_log(const char *path, struct error *err)
{
    struct stat status;

    return stat(path, &status) != 0 || status.st_nlink < 2 || db_name_is_locked(path) ||
           error_set(err, ERROR_CONFLICT, "--database",
                     "%s has another name (a hard link), by which another pennyworth uses it: "
                     "use that name",
                     path);
}

struct db *db_open_shared(const char *path, struct error *err)
{
    AUTO(db_unlockp) struct db_lock *lock = NULL;
    struct error in_use = {0};

    if (access(path, F_OK) != 0) {
        error_set(err, ERROR_NOT_FOUND, "--database", "cannot open %s: %s", path,
                  strerror(errno));
        return NULL;
    }
    /* A process that holds the lock may change the schema, and a schema in use must stay. Release
     * the lock at once, so that a server can start. */
    lock = db_lock(path, &in_use);
    if (!lock && (!has_one_log(path, err) || !is_current(path, err)))
        return NULL;
    return db_open(path, err);
}
