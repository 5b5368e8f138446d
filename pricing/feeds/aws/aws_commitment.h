/* Commitments in AWS's price lists: standard reserved instances, which keep their type for the
 * term, convertible ones, and savings plans. The amounts of one reserved instance may stand in
 * several rows or objects, so they are collected first. */
#pragma once

#include "pricing/commitment.h"

#include <jansson.h>

/* The attributes of a term, as AWS writes them; "" where missing. */
struct aws_term_words {
    const char *length; /* "1yr", "3yr" */
    const char *class;  /* "standard", "convertible"; for a savings plan its family */
    const char *option; /* "No Upfront", "Partial Upfront", "All Upfront" */
};

/* The kind of a reserved instance. False for terms without a kind of price. */
MUST_USE bool aws_commitment_kind(const struct aws_term_words *words, enum price_kind *ret_kind);

/* The same for a savings plan, whose class is "ComputeSavingsPlans" or
 * "EC2InstanceSavingsPlans". */
MUST_USE bool aws_plan_kind(const struct aws_term_words *words, enum price_kind *ret_kind);

/* Amounts of one price; -1 until found. */
struct aws_amounts {
    long long hourly_nanos, upfront_nanos;
    bool spoiled; /* one was found twice, or is unreadable */
};
#define AWS_NO_AMOUNTS ((struct aws_amounts){-1, -1, false})

/* Takes the amount of one unit: "Hrs", or "Quantity" (upfront); ignores others. */
void aws_amounts_take(struct aws_amounts *amounts, const char *unit, const char *price);

/* Merges the amounts of two into the first. */
void aws_amounts_join(struct aws_amounts *amounts, const struct aws_amounts *more);

/* Reads one term of one SKU: {"priceDimensions": {...}, "termAttributes": {...}}. False for terms
 * without a kind of price. */
MUST_USE bool aws_commitment_read(json_t *term, const char *currency, enum price_kind *ret_kind,
                                  struct aws_amounts *ret_amounts);
