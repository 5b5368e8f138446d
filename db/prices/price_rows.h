/* Rows of series and of their prices. For price_store.c, price_put.c and withdrawals.c, in their
 * transactions. */
#pragma once

#include "db/stmt.h"
#include "pricing/price.h"

#define ADD_SERIES                                                                               \
    "INSERT INTO price_series (feed, scope, provider, region, zone, instance_type, kind,"        \
    " currency, nanos, since_us, upfront_nanos) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"        \
    " RETURNING number"
#define ADD_PRICE                                                                                \
    "INSERT INTO prices (series, since_us, nanos, text, reference, source_us, fetched_us,"       \
    " upfront_nanos) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

/* With a statement of ADD_PRICE. `price` NULL: no price from `since_us` on. */
MUST_USE bool price_row_add(struct stmt *add, long long series, long long since_us,
                            long long now_us, const struct price *price, struct error *err);

/* With a statement of ADD_SERIES. */
MUST_USE bool price_series_insert(struct stmt *insert, const char *scope,
                                  const struct price *price, long long since_us,
                                  long long *ret_number, struct error *err);

/* Updates the current price of a series from its history. */
MUST_USE bool price_series_settle(struct db *db, long long series, struct error *err);
