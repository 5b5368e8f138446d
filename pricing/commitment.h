/* Prices for those who commit themselves for years: reserved instances of AWS and Azure, savings
 * plans of both, committed use of Google. Each is a kind of price of its own, which never stands
 * in for what everybody pays by the hour, and is paid for the whole term, used or not. */
#pragma once

#include "pricing/price.h"

#define COMMITMENT_YEAR_HOURS 8760 /* 365 days, as AWS and Azure count */

enum payment {
    PAYMENT_BY_HOUR, /* nothing at once; also where the provider lets the buyer choose */
    PAYMENT_PARTIAL,
    PAYMENT_UPFRONT, /* all of it at once */
};
extern const char *const payment_names[]; /* "no_upfront", "partial_upfront", "all_upfront" */

enum commitment {
    COMMITMENT_RESERVED,     /* for one type; of AWS, the standard class */
    COMMITMENT_CONVERTIBLE,  /* of AWS: reserved, and may be exchanged for another type */
    COMMITMENT_SAVINGS_PLAN, /* for so many dollars an hour, whichever type they are spent on */
    COMMITMENT_INSTANCE_SAVINGS_PLAN, /* of AWS: for a family of types in one region */
    COMMITMENT_USE,                   /* of Google: for so many cores and GiB */
};

struct price_terms {
    enum commitment commitment;
    int years; /* 1 or 3 */
    enum payment payment;
};

/* What brings prices of a kind of commitment of this provider: the words behind "--feed", with
 * "%s" for a region where one must be named; NULL where the provider sells no such thing. */
const char *commitment_feed(const char *provider, enum price_kind kind);

/* NULL for a kind that is no commitment. */
const struct price_terms *price_terms_of(enum price_kind kind);

/* False where there is no such kind, as for five years. */
MUST_USE bool price_kind_of_terms(const struct price_terms *terms, enum price_kind *ret_kind);

/* Fills in nanos, upfront_nanos and text: what an hour of the term costs in all, rounded half up
 * to nanos. The kind is set already, and a commitment. False where that is no price, or where
 * amounts and payment contradict each other: all at once and something by the hour, half of it at
 * once without one of both, nothing at once and yet something. */
MUST_USE bool price_set_commitment(struct price *price, long long hourly_nanos,
                                   long long upfront_nanos);

/* The same of a savings plan, whose price of an hour is known as a whole. Of one that is paid in
 * part at once that is half of it, the least that AWS lets a buyer choose. */
MUST_USE bool price_set_plan(struct price *price, long long nanos);

/* Whether a commitment for `nanos` an hour is ruled out by this price on demand: costlier, or a
 * tenth and less, as where an amount for the term is taken for one for the hour. */
bool commitment_is_odd(long long nanos, long long on_demand_nanos);
