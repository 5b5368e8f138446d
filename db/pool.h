/* Connections for the threads that answer requests; each request borrows one. */
#pragma once

#include "db/db.h"

#include <stddef.h>

struct db_pool;

/* Opens all `size` connections now, so that no request waits for an open. */
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
