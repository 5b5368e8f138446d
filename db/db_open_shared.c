/* The part of db.h for who comes to a database that somebody else may be using. */
#include "common/cleanup.h"
#include "db/connection.h"
#include "db/db.h"
#include "db/db_lock.h"
#include "db/schema.h"

#include <errno.h>
#include <sys/stat.h>

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

struct db *db_open_beside(const char *path, struct error *err)
{
    AUTO(db_unlockp) struct db_lock *lock = NULL;
    struct error in_use = {0};

    if (access(path, F_OK) != 0) {
        error_set(err, ERROR_NOT_FOUND, "--database", "cannot open %s: %s", path,
                  strerror(errno));
        return NULL;
    }
    /* A process that holds the lock may change the schema; a schema that is in use must be
     * left alone. The lock is given back at once: a server must be able to start. */
    lock = db_lock(path, &in_use);
    if (!lock && (!has_one_log(path, err) || !is_current(path, err)))
        return NULL;
    return db_open(path, err);
}
