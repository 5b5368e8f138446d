/* The price of runs that began without one, which a person typed later: the one thing of a run
 * that has ended which may change. */
#pragma once

#include "db/db.h"
#include "engine/run/run.h"

/* The feed of such a price, in paid_price and in the cost object. */
#define TYPED_LATER_FEED "typed-later"

/* Which machine measured the runs: its `vm`, or where it has none ("") all machines without one
 * of its stratum. */
struct run_prices_of {
    const char *vm, *stratum;
};

/* Writes a run's `price` and `paid` anew. */
typedef void run_prices_renew_fn(void *user, struct run *run);

/* Shows each run to `renew` that was measured here on that machine, has ended, and knew no price
 * when it began, and stores what that made of its price; within a transaction of the caller's,
 * who has touched the revision in it. *ret_count is how many. */
MUST_USE bool run_prices_renew(struct db *db, const struct run_prices_of *of,
                               run_prices_renew_fn *renew, void *user, long long *ret_count,
                               struct error *err);
