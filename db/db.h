/* One connection to the database file. Every thread uses its own. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

struct db;

/* Once, before anything else here, in a program that has many threads: SQLite does not count what
 * it allocates, which it would do under one lock for all. (Tests want to know that sum.) */
void db_setup(void);

/* Opens the file, makes it if it is missing, and brings its schema up to date. Refuses a file
 * that is not ours, or that a newer pennyworth has written. The caller gives the result back to
 * db_free(). */
struct db *db_open(const char *path, struct error *err) __attribute__((warn_unused_result));

/* NULL is fine. */
void db_free(struct db *db);
void db_freep(struct db **db);

/* Takes the file for this process alone, for as long as the returned descriptor is open; the
 * kernel gives it back even after kill -9. -1 when another process has it. */
int db_lock(const char *path, struct error *err) __attribute__((warn_unused_result));

/* Bytes of the database as SQLite counts its pages. */
bool db_size(struct db *db, long long *ret_bytes, struct error *err)
    __attribute__((warn_unused_result));

/* What a commit promises. */
enum durability {
    DB_RELAXED, /* consistent after power loss, but perhaps without the last commits */
    DB_DURABLE, /* on the disk before transaction_commit() returns */
};

/* A write transaction: everything until the commit, or nothing.
 *     AUTO(transaction_end) struct transaction change = {0};
 *     if (!transaction_begin(&change, db, DB_DURABLE, err)) return false; */
struct transaction {
    struct db *db; /* NULL when there is nothing to undo */
};

bool transaction_begin(struct transaction *transaction, struct db *db, enum durability durability,
                       struct error *err) __attribute__((warn_unused_result));
bool transaction_commit(struct transaction *transaction, struct error *err)
    __attribute__((warn_unused_result));
void transaction_end(struct transaction *transaction);
