/* Connections for the threads that answer requests: one is borrowed for as long as a request
 * looks into the database. */
#pragma once

#include "db/db.h"

#include <stddef.h>

struct db_pool;

/* Opens `size` connections at once, so that no request waits for one to be opened. */
MUST_USE struct db_pool *db_pool_open(const char *path, size_t size, struct error *err);
void db_pool_free(struct db_pool *pool);

/* Waits until one is free.
 *     AUTO(db_loan_end) struct db_loan loan = db_borrow(pool); */
struct db_loan {
    struct db_pool *pool;
    struct db *db;
};

struct db_loan db_borrow(struct db_pool *pool);
void db_loan_end(struct db_loan *loan);
