#include "db/db.h"

#include "common/cleanup.h"
#include "db/connection.h"
#include "db/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

bool db_failed(struct error *err, int rc, const char *doing)
{
    enum error_kind kind =
        (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED ? ERROR_BUSY : ERROR_INTERNAL;

    return error_set(err, kind, NULL, "database: %s in: %s", sqlite3_errstr(rc), doing);
}

bool db_execute(struct db *db, const char *sql, struct error *err)
{
    int rc = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK || db_failed(err, rc, sql);
}

void db_setup(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

struct db *db_open(const char *path, struct error *err)
{
    return db_open_version(path, schema_version, err);
}

struct db *db_open_version(const char *path, int version, struct error *err)
{
    AUTO(db_freep) struct db *db = calloc(1, sizeof *db);
    int rc;

    if (!db) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    rc = sqlite3_open_v2(path, &db->handle,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc != SQLITE_OK) {
        error_set(err, ERROR_INTERNAL, NULL, "cannot open the database %s: %s", path,
                  sqlite3_errstr(rc));
        return NULL;
    }
    sqlite3_extended_result_codes(db->handle, 1);
    sqlite3_busy_timeout(db->handle, 5000);
    /* The file may be nobody's yet: its schema is looked at before WAL mode writes to it. */
    if (!schema_check(db, err) || !db_execute(db, "PRAGMA journal_mode = WAL", err) ||
        !db_execute(db, "PRAGMA foreign_keys = ON", err) || !schema_migrate_to(db, version, err))
        return NULL;
    return take(&db);
}

void db_free(struct db *db)
{
    if (!db)
        return;
    for (size_t i = 0; i < db->statement_count; i++)
        sqlite3_finalize(db->statements[i].handle);
    sqlite3_close(db->handle);
    free(db);
}

void db_freep(struct db **db)
{
    db_free(*db);
}

/* A worker that is being forked has our descriptors until its exec, so the lock of a server that
 * was killed may outlive it by a moment. */
static bool take_lock(int descriptor)
{
    const struct timespec moment = {.tv_nsec = 10 * 1000000};

    for (int attempt = 0; attempt < 100; attempt++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            return true;
        nanosleep(&moment, NULL);
    }
    return false;
}

int db_lock(const char *path, struct error *err)
{
    char name[4096 + 8];
    int descriptor;

    snprintf(name, sizeof name, "%s.lock", path);
    descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        error_set(err, ERROR_INTERNAL, NULL, "cannot open %s: %s", name, strerror(errno));
        return -1;
    }
    if (!take_lock(descriptor)) {
        error_set(err, ERROR_BUSY, NULL, "another pennyworth uses the database %s", path);
        close(descriptor);
        return -1;
    }
    return descriptor;
}

bool db_size(struct db *db, long long *ret_bytes, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()", err);

    if (!query || stmt_step(query, err) != STMT_ROW)
        return false;
    *ret_bytes = stmt_column_integer(query, 0);
    return true;
}

static bool set_durability(struct db *db, enum durability durability, struct error *err)
{
    int synchronous = durability == DB_DURABLE ? 2 : 1;

    if (db->synchronous == synchronous)
        return true;
    if (!db_execute(
            db, synchronous == 2 ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL",
            err))
        return false;
    db->synchronous = synchronous;
    return true;
}

/* An address, for the connection finds its statements by that. */
static const char rollback[] = "ROLLBACK";

bool transaction_begin(struct transaction *transaction, struct db *db, enum durability durability,
                       struct error *err)
{
    AUTO(stmt_done) struct stmt *begin = NULL, *undo = NULL;

    if (!set_durability(db, durability, err))
        return false;
    /* The way back is prepared before it is needed: without memory it could not be, and the
     * connection would keep everybody from writing for ever. */
    undo = stmt_prepare(db, rollback, err);
    if (!undo)
        return false;
    /* IMMEDIATE: whoever will write asks first, instead of failing half-way. */
    begin = stmt_prepare(db, "BEGIN IMMEDIATE", err);
    if (!begin || !stmt_run(begin, err))
        return false;
    transaction->db = db;
    return true;
}

bool transaction_commit(struct transaction *transaction, struct error *err)
{
    AUTO(stmt_done) struct stmt *commit = stmt_prepare(transaction->db, "COMMIT", err);

    if (!commit || !stmt_run(commit, err))
        return false;
    transaction->db = NULL;
    return true;
}

void transaction_end(struct transaction *transaction)
{
    AUTO(stmt_done) struct stmt *undo = NULL;

    if (!transaction->db)
        return;
    /* SQLite may have rolled back by itself already; then this says so and does nothing. */
    undo = stmt_prepare(transaction->db, rollback, NULL);
    if (undo)
        (void)!stmt_run(undo, NULL);
    transaction->db = NULL;
}
