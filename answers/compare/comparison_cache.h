/* Cache of standings and offers for comparisons: updated when the database has changed, lent to
 * one answer at a time. Thread-safe. */
#pragma once

#include "answers/compare/homes.h"
#include "db/prices/offers.h"
#include "db/standings/standings.h"

struct comparison_cache;

struct comparison_cache *comparison_cache_new(void);
void comparison_cache_free(struct comparison_cache *cache); /* NULL is fine */

/* The data of one answer. It does not change until it is returned:
 *     AUTO(comparison_cache_return) struct comparison_loan loan = {0};
 *     if (!comparison_cache_borrow(cache, db, &question, &loan, err)) return false; */
struct comparison_loan {
    struct comparison_cache *cache; /* NULL: nothing to give back */
    const struct standings *standings;
    const struct offers *offers;
    const struct homes *homes; /* complete for these standings; empty where none are asked for */
};

MUST_USE bool comparison_cache_borrow(struct comparison_cache *cache, struct db *db,
                                      const struct offers_question *question,
                                      struct comparison_loan *ret_loan, struct error *err);
void comparison_cache_return(struct comparison_loan *loan);
