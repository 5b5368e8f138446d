/* A price typed for this machine also applies to its earlier runs without a price. This is the
 * one exception to the rule that a run keeps the price it began with; the feed TYPED_LATER_FEED
 * marks it. */
#pragma once

#include "db/runs/run_prices.h"
#include "server/base/this_machine.h"

/* The typed price of such a run at a moment. */
MUST_USE bool typed_later_find(struct this_machine *here, struct db *db, long long at_us,
                               struct machine_price *ret_price, struct error *err);

/* Stores a typed price of this machine, replacing an earlier one, and applies it to its runs that
 * began without a price; *ret_runs is their number. */
MUST_USE bool typed_later_put(struct this_machine *here, struct db *db, const struct price *price,
                              long long *ret_runs, struct error *err);

/* Call after a typed price was withdrawn: those runs get the typed price before it, or none. Does
 * nothing if the price was not of this machine. */
MUST_USE bool typed_later_withdraw(struct this_machine *here, struct db *db,
                                   const struct price *price, long long at_us, struct error *err);
