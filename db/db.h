/* One connection to the database file. Every thread uses its own. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

struct db;

/* Call once, before anything else here: SQLite then ends the process when memory runs out
 * (common/memory.h), and does not count its allocations, which takes a lock shared by all
 * threads. */
void db_setup(void);

/* NULL is fine. */
void db_free(struct db *db);
void db_freep(struct db **db);

/* How long this connection waits for another writer; at first DB_PATIENCE_MS. Then it fails with
 * ERROR_BUSY. */
#define DB_PATIENCE_MS 5000
void db_set_patience(struct db *db, int milliseconds);

/* Interrupts a verify of the whole database on this connection: see verify.h. From any thread, or
 * a signal handler. */
void db_interrupt(struct db *db);

/* Bytes of the database as SQLite counts its pages. */
MUST_USE bool db_size(struct db *db, long long *ret_bytes, struct error *err);

/* Periodic upkeep: PRAGMA optimize and a WAL checkpoint that does not wait for readers. */
MUST_USE bool db_tidy(struct db *db, struct error *err);

/* What a commit promises. */
enum durability {
    DB_RELAXED, /* consistent after power loss, but the last commits may be lost */
    DB_DURABLE, /* on the disk before transaction_commit() returns */
};

/* A write transaction; rolled back unless committed.
 *     AUTO(transaction_end) struct transaction change = {0};
 *     if (!transaction_begin(&change, db, DB_DURABLE, err)) return false; */
struct transaction {
    struct db *db; /* NULL when there is nothing to undo */
};

MUST_USE bool transaction_begin(struct transaction *transaction, struct db *db,
                                enum durability durability, struct error *err);
/* A read transaction: all reads see one snapshot until the end. Nothing may be written, and there
 * is nothing to commit. */
MUST_USE bool transaction_begin_reading(struct transaction *transaction, struct db *db,
                                        struct error *err);
MUST_USE bool transaction_commit(struct transaction *transaction, struct error *err);
void transaction_end(struct transaction *transaction);
