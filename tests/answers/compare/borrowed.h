/* A cache for comparisons and what it lends, for one test. */
#pragma once

#include "answers/compare/comparison_cache.h"
#include "tests/test.h"

static inline void comparison_cache_freep(struct comparison_cache **cache)
{
    comparison_cache_free(*cache);
}

/* Ends the test where nothing is lent: there is nothing to look at. */
static inline struct comparison_loan borrow(struct comparison_cache *cache, struct db *db,
                                            const struct offers_question *question)
{
    struct comparison_loan loan = {0};

    EXPECT_OK(comparison_cache_borrow(cache, db, question, &loan, &err));
    REQUIRE(loan.cache);
    return loan;
}
