/* What AWS's price lists say of commitments: of reserved instances, standard ones, which keep
 * their type for the term, and convertible ones; and of savings plans. An amount of a reserved
 * instance may stand in rows or objects of its own, so what is known of a price is brought
 * together first. */
#pragma once

#include "pricing/commitment.h"

#include <jansson.h>

/* The attributes of a term, as AWS writes them; "" where one is not there. */
struct aws_term_words {
    const char *length; /* "1yr", "3yr" */
    const char *class;  /* "standard", "convertible"; of a savings plan its family */
    const char *option; /* "No Upfront", "Partial Upfront", "All Upfront" */
};

/* The kind of a reserved instance. False for terms that no kind of price has. */
MUST_USE bool aws_commitment_kind(const struct aws_term_words *words, enum price_kind *ret_kind);

/* The same of a savings plan, whose class is "ComputeSavingsPlans" or "EC2InstanceSavingsPlans".
 */
MUST_USE bool aws_plan_kind(const struct aws_term_words *words, enum price_kind *ret_kind);

/* Amounts of one price; -1 where none was found yet. */
struct aws_amounts {
    long long hourly_nanos, upfront_nanos;
    bool spoiled; /* one was found twice, or could not be read */
};
#define AWS_NO_AMOUNTS ((struct aws_amounts){-1, -1, false})

/* Takes the price of one unit: "Hrs", or "Quantity", which is paid at once; others are passed
 * over. */
void aws_amounts_take(struct aws_amounts *amounts, const char *unit, const char *price);

/* Puts what two of them have found together. */
void aws_amounts_join(struct aws_amounts *amounts, const struct aws_amounts *more);

/* Reads one term of one SKU: {"priceDimensions": {...}, "termAttributes": {...}}. False for terms
 * that no kind of price has. */
MUST_USE bool aws_commitment_read(json_t *term, const char *currency, enum price_kind *ret_kind,
                                  struct aws_amounts *ret_amounts);
