/* Withdraws typed prices and discounts. A withdrawn row is valid until that moment, so that an
 * answer about an earlier moment stays the same; afterwards the row before it is valid again. */
#pragma once

#include "db/prices/discounts.h"
#include "db/prices/price_list.h"

/* Withdraws a typed price. If it is withdrawn already, it stays as it is. ERROR_NOT_FOUND;
 * ERROR_CONFLICT for a price of a feed, which would come back with the next reading. */
MUST_USE bool prices_withdraw(struct db *db, const struct price_key *key,
                              const struct taken_back *withdrawn, struct listed_price *ret_listed,
                              struct error *err);

/* The same for a discount, by its number. */
MUST_USE bool discounts_withdraw(struct db *db, long long number,
                                 const struct taken_back *withdrawn,
                                 struct discount *ret_discount, struct error *err);
