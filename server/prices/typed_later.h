/* What a person types of this machine is the price of its runs too that began without one. A run
 * keeps the price of the moment when it began; this is the one exception, and marked by the feed
 * TYPED_LATER_FEED. */
#pragma once

#include "db/runs/run_prices.h"
#include "server/base/this_machine.h"

/* What such a run costs an hour by what is typed at a moment. */
MUST_USE bool typed_later_find(struct this_machine *here, struct db *db, long long at_us,
                               struct machine_price *ret_price, struct error *err);

/* Stores a typed price of this machine, in place of the one that was typed before, and gives it
 * to the stored runs of this machine that began without one: *ret_runs is how many these are. */
MUST_USE bool typed_later_put(struct this_machine *here, struct db *db, const struct price *price,
                              long long *ret_runs, struct error *err);

/* After a typed price was withdrawn: those runs have what was typed before it, or none again.
 * Does nothing where it was the price of something else. */
MUST_USE bool typed_later_withdraw(struct this_machine *here, struct db *db,
                                   const struct price *price, long long at_us, struct error *err);
