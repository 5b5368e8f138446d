#include "db/db.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "db/connection.h"
#include "db/damage.h"
#include "db/stmt.h"

#include <assert.h>

static sqlite3_mem_methods allocator; /* SQLite's own */

static void *sqlite_allocate(int size)
{
    void *memory = allocator.xMalloc(size);

    if (!memory)
        memory_is_out((size_t)size);
    return memory;
}

static void *sqlite_reallocate(void *old, int size)
{
    void *memory = allocator.xRealloc(old, size);

    if (!memory)
        memory_is_out((size_t)size);
    return memory;
}

void db_setup(void)
{
    sqlite3_mem_methods ending;

    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &allocator);
    ending = allocator;
    ending.xMalloc = sqlite_allocate;
    ending.xRealloc = sqlite_reallocate;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &ending);
}

void db_free(struct db *db)
{
    if (!db)
        return;
    while (db->statements) {
        struct stmt *stmt = db->statements;

        db->statements = stmt->next;
        sqlite3_finalize(stmt->handle);
        free(stmt);
    }
    /* A damaged database is left as it is, with its log. */
    if (db->handle && db_is_damaged())
        sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_close(db->handle);
    free(db);
}

void db_freep(struct db **db)
{
    db_free(*db);
}

void db_set_patience(struct db *db, int milliseconds)
{
    sqlite3_busy_timeout(db->handle, milliseconds);
}

void db_interrupt(struct db *db)
{
    atomic_store(&db->interrupted, true);
    sqlite3_interrupt(db->handle);
}

bool db_size(struct db *db, long long *ret_bytes, struct error *err)
{
    return stmt_number(
        db, "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
        ret_bytes, err);
}

/* Empties the WAL unless a reader is in the way: a checkpoint that waits blocks writers. */
static bool empty_log(struct db *db, struct error *err)
{
    int rc;

    db_set_patience(db, 0);
    rc = sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    db_set_patience(db, DB_PATIENCE_MS);
    return rc == SQLITE_OK || (rc & 0xff) == SQLITE_BUSY ||
           db_failed(err, rc, "emptying the log");
}

bool db_tidy(struct db *db, struct error *err)
{
    return db_execute(db, "PRAGMA optimize", err) && empty_log(db, err);
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

static bool transaction_begin_with(struct transaction *transaction, struct db *db,
                                   const char *sql, struct error *err)
{
    AUTO(stmt_done) struct stmt *begin = stmt_prepare(db, sql, err);

    if (!begin || !stmt_run(begin, err))
        return false;
    transaction->db = db;
    return true;
}

bool transaction_begin_reading(struct transaction *transaction, struct db *db, struct error *err)
{
    return transaction_begin_with(transaction, db, "BEGIN", err);
}

bool transaction_begin(struct transaction *transaction, struct db *db, enum durability durability,
                       struct error *err)
{
    assert(!transaction->db);
    if (db_is_damaged())
        return error_set(err, ERROR_DAMAGED, NULL,
                         "the database is damaged, so nothing more is written");
    /* IMMEDIATE: a writer takes the lock first, instead of failing half-way. */
    return set_durability(db, durability, err) &&
           transaction_begin_with(transaction, db, "BEGIN IMMEDIATE", err);
}

bool transaction_commit(struct transaction *transaction, struct error *err)
{
    AUTO(stmt_done) struct stmt *commit = NULL;

    assert(transaction->db);
    commit = stmt_prepare(transaction->db, "COMMIT", err);

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
    undo = stmt_prepare(transaction->db, "ROLLBACK", NULL);
    if (undo)
        (void)!stmt_run(undo, NULL);
    transaction->db = NULL;
}
