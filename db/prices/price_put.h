/* Stores prices that a person typed, or that come with the program. */
#pragma once

#include "db/db.h"
#include "pricing/price.h"

#include <stddef.h>

/* Stores prices of scope "", each valid from its source_us on; all or none. nanos 0: the price
 * ends then. ERROR_CONFLICT if another one is stored for the same moment. */
MUST_USE bool prices_put(struct db *db, const struct price *prices, size_t count,
                         struct error *err);

/* The same, in the caller's transaction. */
MUST_USE bool prices_put_within(struct db *db, const struct price *prices, size_t count,
                                struct error *err);

/* The number of the series of a typed price; 0 if there is none. */
MUST_USE bool prices_series(struct db *db, const struct price *price, long long *ret_series,
                            struct error *err);

/* Deletes all prices of a feed, in the caller's transaction: for prices that come with the
 * program, when a later version corrects them. */
MUST_USE bool prices_forget(struct db *db, const char *feed, struct error *err);
