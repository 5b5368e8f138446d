/* Writing prices that a person typed, or that come with the program. */
#pragma once

#include "db/db.h"
#include "pricing/price.h"

#include <stddef.h>

/* Stores prices of scope "", each valid from its source_us on; all or none. With nanos 0: there
 * is none any more. ERROR_CONFLICT where another one was stored for that very moment. */
MUST_USE bool prices_put(struct db *db, const struct price *prices, size_t count,
                         struct error *err);

/* The same, within a transaction of the caller's. */
MUST_USE bool prices_put_within(struct db *db, const struct price *prices, size_t count,
                                struct error *err);

/* The number of the series that a typed price belongs to; 0 where there is none. */
MUST_USE bool prices_series(struct db *db, const struct price *price, long long *ret_series,
                            struct error *err);

/* Takes away all that a feed ever said, within a transaction of the caller's: for what comes with
 * the program, and is put right in a later version of it. */
MUST_USE bool prices_forget(struct db *db, const char *feed, struct error *err);
