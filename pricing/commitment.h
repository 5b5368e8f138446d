/* Prices for commitments of one or three years: reserved instances of AWS and Azure, savings
 * plans of both, committed use of Google. Each is its own kind of price, never substitutes for
 * the on-demand price, and is paid for the whole term, used or not. */
#pragma once

#include "pricing/price.h"

#define COMMITMENT_YEAR_HOURS 8760 /* 365 days, as AWS and Azure count */

enum payment {
    PAYMENT_BY_HOUR, /* nothing upfront; also if the provider lets the buyer choose */
    PAYMENT_PARTIAL,
    PAYMENT_UPFRONT, /* all of it upfront */
};
extern const char *const payment_names[]; /* "no_upfront", "partial_upfront", "all_upfront" */

enum commitment {
    COMMITMENT_RESERVED,              /* for one type; of AWS, the standard class */
    COMMITMENT_CONVERTIBLE,           /* AWS: reserved, exchangeable for another type */
    COMMITMENT_SAVINGS_PLAN,          /* for so many dollars an hour, on any type */
    COMMITMENT_INSTANCE_SAVINGS_PLAN, /* AWS: for a family of types in one region */
    COMMITMENT_USE,                   /* Google: for so many cores and GiB */
};

struct price_terms {
    enum commitment commitment;
    int years; /* 1 or 3 */
    enum payment payment;
};

/* The arguments of "--feed" that fetch prices of a kind of commitment from this provider, with
 * "%s" for a region where one is needed; NULL if the provider does not sell it. */
const char *commitment_feed(const char *provider, enum price_kind kind);

/* NULL if the kind is no commitment. */
const struct price_terms *price_terms_of(enum price_kind kind);

/* False if there is no such kind, for example for five years. */
MUST_USE bool price_kind_of_terms(const struct price_terms *terms, enum price_kind *ret_kind);

/* Fills in nanos, upfront_nanos and text: the full cost of an hour of the term, rounded half up
 * to nanos. The caller has set the kind, a commitment. False if the amounts give no price or
 * contradict the payment: all upfront with an hourly part, partial upfront without one of both,
 * no upfront with an upfront amount. */
MUST_USE bool price_set_commitment(struct price *price, long long hourly_nanos,
                                   long long upfront_nanos);

/* The same for a savings plan, whose full hourly price is known. With partial upfront, half is
 * paid upfront, the least that AWS allows. */
MUST_USE bool price_set_plan(struct price *price, long long nanos);

/* Whether this price on demand rules out a commitment for `nanos` an hour: it costs more, or a
 * tenth or less, as when an amount for the term is taken for an hourly one. */
bool commitment_is_odd(long long nanos, long long on_demand_nanos);
