#include "pricing/commitment.h"

#include "common/cleanup.h"

#include <assert.h>
#include <string.h>

#define CHEAPEST 10 /* times cheaper than on demand: implausible for a commitment */

const char *const payment_names[] = {"no_upfront", "partial_upfront", "all_upfront", NULL};

static const struct price_terms kinds[PRICE_KINDS] = {
    [PRICE_RESERVED_1Y_NO_UPFRONT] = {COMMITMENT_RESERVED, 1, PAYMENT_BY_HOUR},
    [PRICE_RESERVED_1Y_PARTIAL_UPFRONT] = {COMMITMENT_RESERVED, 1, PAYMENT_PARTIAL},
    [PRICE_RESERVED_1Y_ALL_UPFRONT] = {COMMITMENT_RESERVED, 1, PAYMENT_UPFRONT},
    [PRICE_RESERVED_3Y_NO_UPFRONT] = {COMMITMENT_RESERVED, 3, PAYMENT_BY_HOUR},
    [PRICE_RESERVED_3Y_PARTIAL_UPFRONT] = {COMMITMENT_RESERVED, 3, PAYMENT_PARTIAL},
    [PRICE_RESERVED_3Y_ALL_UPFRONT] = {COMMITMENT_RESERVED, 3, PAYMENT_UPFRONT},
    [PRICE_SAVINGS_PLAN_1Y] = {COMMITMENT_SAVINGS_PLAN, 1, PAYMENT_BY_HOUR},
    [PRICE_SAVINGS_PLAN_3Y] = {COMMITMENT_SAVINGS_PLAN, 3, PAYMENT_BY_HOUR},
    [PRICE_COMMITTED_USE_1Y] = {COMMITMENT_USE, 1, PAYMENT_BY_HOUR},
    [PRICE_COMMITTED_USE_3Y] = {COMMITMENT_USE, 3, PAYMENT_BY_HOUR},
    [PRICE_SAVINGS_PLAN_1Y_PARTIAL_UPFRONT] = {COMMITMENT_SAVINGS_PLAN, 1, PAYMENT_PARTIAL},
    [PRICE_SAVINGS_PLAN_1Y_ALL_UPFRONT] = {COMMITMENT_SAVINGS_PLAN, 1, PAYMENT_UPFRONT},
    [PRICE_SAVINGS_PLAN_3Y_PARTIAL_UPFRONT] = {COMMITMENT_SAVINGS_PLAN, 3, PAYMENT_PARTIAL},
    [PRICE_SAVINGS_PLAN_3Y_ALL_UPFRONT] = {COMMITMENT_SAVINGS_PLAN, 3, PAYMENT_UPFRONT},
    [PRICE_INSTANCE_SAVINGS_PLAN_1Y_NO_UPFRONT] = {COMMITMENT_INSTANCE_SAVINGS_PLAN, 1,
                                                   PAYMENT_BY_HOUR},
    [PRICE_INSTANCE_SAVINGS_PLAN_1Y_PARTIAL_UPFRONT] = {COMMITMENT_INSTANCE_SAVINGS_PLAN, 1,
                                                        PAYMENT_PARTIAL},
    [PRICE_INSTANCE_SAVINGS_PLAN_1Y_ALL_UPFRONT] = {COMMITMENT_INSTANCE_SAVINGS_PLAN, 1,
                                                    PAYMENT_UPFRONT},
    [PRICE_INSTANCE_SAVINGS_PLAN_3Y_NO_UPFRONT] = {COMMITMENT_INSTANCE_SAVINGS_PLAN, 3,
                                                   PAYMENT_BY_HOUR},
    [PRICE_INSTANCE_SAVINGS_PLAN_3Y_PARTIAL_UPFRONT] = {COMMITMENT_INSTANCE_SAVINGS_PLAN, 3,
                                                        PAYMENT_PARTIAL},
    [PRICE_INSTANCE_SAVINGS_PLAN_3Y_ALL_UPFRONT] = {COMMITMENT_INSTANCE_SAVINGS_PLAN, 3,
                                                    PAYMENT_UPFRONT},
    [PRICE_CONVERTIBLE_1Y_NO_UPFRONT] = {COMMITMENT_CONVERTIBLE, 1, PAYMENT_BY_HOUR},
    [PRICE_CONVERTIBLE_1Y_PARTIAL_UPFRONT] = {COMMITMENT_CONVERTIBLE, 1, PAYMENT_PARTIAL},
    [PRICE_CONVERTIBLE_1Y_ALL_UPFRONT] = {COMMITMENT_CONVERTIBLE, 1, PAYMENT_UPFRONT},
    [PRICE_CONVERTIBLE_3Y_NO_UPFRONT] = {COMMITMENT_CONVERTIBLE, 3, PAYMENT_BY_HOUR},
    [PRICE_CONVERTIBLE_3Y_PARTIAL_UPFRONT] = {COMMITMENT_CONVERTIBLE, 3, PAYMENT_PARTIAL},
    [PRICE_CONVERTIBLE_3Y_ALL_UPFRONT] = {COMMITMENT_CONVERTIBLE, 3, PAYMENT_UPFRONT},
};

const struct price_terms *price_terms_of(enum price_kind kind)
{
    return kind >= PRICE_COMMITTED && kind < PRICE_KINDS ? &kinds[kind] : NULL;
}

const char *commitment_feed(const char *provider, enum price_kind kind)
{
    static const char offer[] = "aws-offer=on committed=on regions=%s";
    static const char plans[] = "aws-savings-plans=on regions=%s";
    static const char *const of_aws[] = {[COMMITMENT_RESERVED] = offer,
                                         [COMMITMENT_CONVERTIBLE] = offer,
                                         [COMMITMENT_SAVINGS_PLAN] = plans,
                                         [COMMITMENT_INSTANCE_SAVINGS_PLAN] = plans,
                                         [COMMITMENT_USE] = NULL};
    const struct price_terms *terms = price_terms_of(kind);

    if (!terms)
        return NULL;
    if (strcmp(provider, "aws") == 0)
        return of_aws[terms->commitment];
    if (strcmp(provider, "gcp") == 0)
        return terms->commitment == COMMITMENT_USE ? "gcp-billing-catalog=on" : NULL;
    return strcmp(provider, "azure") == 0 && terms->payment == PAYMENT_BY_HOUR &&
                   (terms->commitment == COMMITMENT_RESERVED ||
                    terms->commitment == COMMITMENT_SAVINGS_PLAN)
               ? "azure-retail=on regions=%s"
               : NULL;
}

bool price_kind_of_terms(const struct price_terms *terms, enum price_kind *ret_kind)
{
    for (int kind = PRICE_COMMITTED; kind < PRICE_KINDS; kind++)
        if (kinds[kind].commitment == terms->commitment && kinds[kind].years == terms->years &&
            kinds[kind].payment == terms->payment) {
            *ret_kind = (enum price_kind)kind;
            return true;
        }
    return false;
}

static bool commitment_agrees(enum payment payment, long long hourly_nanos,
                              long long upfront_nanos)
{
    return (hourly_nanos > 0) == (payment != PAYMENT_UPFRONT) &&
           (upfront_nanos > 0) == (payment != PAYMENT_BY_HOUR);
}

static const struct price_terms *terms_of(const struct price *price)
{
    assert(price_terms_of(price->kind)); /* it is a commitment */
    return price_terms_of(price->kind);
}

bool price_set_commitment(struct price *price, long long hourly_nanos, long long upfront_nanos)
{
    const struct price_terms *terms = terms_of(price);
    const long long hours = (long long)terms->years * COMMITMENT_YEAR_HOURS;
    char text[PRICE_TEXT_SIZE];

    if (hourly_nanos < 0 || upfront_nanos < 0 || hourly_nanos > PRICE_NANOS_MAX ||
        upfront_nanos > PRICE_NANOS_MAX * hours ||
        !commitment_agrees(terms->payment, hourly_nanos, upfront_nanos))
        return false;
    price_write_nanos(hourly_nanos + (upfront_nanos + hours / 2) / hours, text);
    price->upfront_nanos = upfront_nanos;
    return price_set(price, text);
}

bool price_set_plan(struct price *price, long long nanos)
{
    const struct price_terms *terms = terms_of(price);
    const long long hours = (long long)terms->years * COMMITMENT_YEAR_HOURS;
    long long at_once = 0;

    if (nanos <= 0 || nanos > PRICE_NANOS_MAX)
        return false;
    if (terms->payment == PAYMENT_PARTIAL)
        at_once = nanos / 2;
    else if (terms->payment == PAYMENT_UPFRONT)
        at_once = nanos;
    return price_set_commitment(price, nanos - at_once, at_once * hours);
}

bool commitment_is_odd(long long nanos, long long on_demand_nanos)
{
    return nanos > on_demand_nanos || nanos * CHEAPEST <= on_demand_nanos;
}
