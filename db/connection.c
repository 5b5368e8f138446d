#include "db/connection.h"

#include "db/damage.h"

static bool means_damage(int rc)
{
    return (rc & 0xff) == SQLITE_CORRUPT || (rc & 0xff) == SQLITE_NOTADB;
}

bool db_failed(struct error *err, int rc, const char *doing)
{
    enum error_kind kind = ERROR_INTERNAL;

    if (means_damage(rc))
        db_note_damage();

    if ((rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED)
        kind = ERROR_BUSY;
    else if ((rc & 0xff) == SQLITE_FULL)
        return error_set(err, ERROR_STORAGE, NULL,
                         "the disk of the database is full, so nothing of this was stored");
    return error_set(err, kind, NULL, "database: %s in: %s", sqlite3_errstr(rc), doing);
}

bool db_execute(struct db *db, const char *sql, struct error *err)
{
    int rc = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK || db_failed(err, rc, sql);
}
