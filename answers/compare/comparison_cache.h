/* Standings and offers in memory, for all who compare: brought up to date when the database says
 * that something has changed, and lent to one answer at a time. Threads may share it. */
#pragma once

#include "answers/compare/homes.h"
#include "db/prices/offers.h"
#include "db/standings/standings.h"

struct comparison_cache;

struct comparison_cache *comparison_cache_new(void);
void comparison_cache_free(struct comparison_cache *cache); /* NULL is fine */

/* What an answer is made of. It does not change until it is given back:
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
