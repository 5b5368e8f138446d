/* Checks the cost of an imported run: the price may be anything, but the dollars must follow from
 * it and from the speed of the steps. */
#pragma once

#include "common/error.h"
#include "engine/run/run.h"

/* Between a number of the sender and ours, as a share. */
#define IMPORT_AGREEMENT 0.001

/* `cost` is as in struct run, or NULL; *ret_paid is its price, or all zero. ERROR_INVALID names
 * the member. */
MUST_USE bool import_cost_check(const char *cost, const struct summary *summary,
                                struct paid_price *ret_paid, struct error *err);

/* For a sender with another version of the statistics: computes the dollars again from the price
 * and our speed. Members that are null stay null. */
MUST_USE bool import_cost_renew(char **cost, const struct summary *summary,
                                struct paid_price *ret_paid, struct error *err);
