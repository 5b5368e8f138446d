/* Typed prices and discounts that a person took back. What was withdrawn holds until that moment
 * and not after it, so that an answer about an earlier moment stays the same; what held before it
 * was typed holds again. */
#pragma once

#include "db/prices/discounts.h"
#include "db/prices/price_list.h"

struct stmt;

/* Withdraws a typed price. One that was withdrawn before stays as it is. ERROR_NOT_FOUND;
 * ERROR_CONFLICT for a price of a feed, which would come back with the next reading. */
bool prices_withdraw(struct db *db, const struct price_key *key,
                     const struct taken_back *withdrawn, struct price_view *ret_view,
                     struct error *err) __attribute__((warn_unused_result));

/* The same for the discount of a number. */
bool discounts_withdraw(struct db *db, long long number, const struct taken_back *withdrawn,
                        struct discount *ret_discount, struct error *err)
    __attribute__((warn_unused_result));

/* What withdrawn_us has of a row that was not withdrawn: the largest number, as in
 * db/schema_first.c. */
#define NEVER_WITHDRAWN "9223372036854775807"

/* For the files beside: writes into a series what it is today, from its prices; and reads the
 * columns withdrawn_us, withdrawn_by and withdrawn_reason, of which the first is `column`. */
bool price_series_settle(struct db *db, long long series, struct error *err)
    __attribute__((warn_unused_result));
void withdrawal_read(struct stmt *row, int column, struct taken_back *ret_withdrawn);
