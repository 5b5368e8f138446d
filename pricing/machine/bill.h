/* The hourly cost of a machine without a feed price, from a person: what they pay per hour or
 * month, or the purchase price and power. */
#pragma once

#include "common/limits.h"
#include "common/rows/body.h"
#include "pricing/price.h"

#define BILL_YEAR_HOURS 8760
#define BILL_MONTH_HOURS 730

struct machine_bill {
    enum bill_way { BILL_BY_HOUR, BILL_BY_MONTH, BILL_OWN } way;
    double per_hour, per_month;                   /* dollars */
    double purchase, years, watts, cents_per_kwh; /* dollars, and US cents */
};

/* {"machine": "this"} and one of "price_per_hour", "per_month" and "own". */
extern const struct body machine_price_body;

/* Reads that body. ERROR_INVALID names the field and the allowed values. */
MUST_USE bool machine_bill_read(const json_t *json, struct machine_bill *ret_bill,
                                struct error *err);

/* The hourly price: kind, amount and currency, and the formula as reference. Everything else of
 * the price is empty. ERROR_INVALID if the sum is no valid price. */
MUST_USE bool machine_bill_price(const struct machine_bill *bill, struct price *ret_price,
                                 struct error *err);
