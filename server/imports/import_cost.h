/* What a run from elsewhere says it cost: a price may be anything, but what is said of dollars
 * must follow from it and from the speed that the steps give. */
#pragma once

#include "common/error.h"
#include "engine/run/run.h"

/* `cost` is as in struct run, or NULL; *ret_paid is its price, all zero where it has none.
 * ERROR_INVALID names the member. */
MUST_USE bool import_cost_check(const char *cost, const struct summary *summary,
                                struct paid_price *ret_paid, struct error *err);

/* Of a run whose sender used other statistics than ours: writes the dollars anew from the price
 * and from our speed. A member that the sender left null stays null. */
MUST_USE bool import_cost_renew(char **cost, const struct summary *summary,
                                struct paid_price *ret_paid, struct error *err);
