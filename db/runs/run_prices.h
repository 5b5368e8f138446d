/* Adds a price, typed later, to runs that began without one: the only part of an ended run that
 * may change. */
#pragma once

#include "db/db.h"
#include "engine/run/run.h"

/* The feed of such a price, in paid_price and in the cost object. */
#define TYPED_LATER_FEED "typed-later"

/* The machine of the runs: its `vm`, or if that is "" all machines without a vm of its
 * stratum. */
struct run_prices_of {
    const char *vm, *stratum;
};

/* Writes a run's `price` and `paid` anew. */
typedef void run_prices_renew_fn(void *user, struct run *run);

/* Calls `renew` for each run measured here on that machine that has ended and began without a
 * price, and stores the result; in the caller's transaction; the caller has touched the revision
 * in it. *ret_count is how many. */
MUST_USE bool run_prices_renew(struct db *db, const struct run_prices_of *of,
                               run_prices_renew_fn *renew, void *user, long long *ret_count,
                               struct error *err);
