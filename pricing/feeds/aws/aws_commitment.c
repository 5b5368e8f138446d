#include "pricing/feeds/aws/aws_commitment.h"

#include "common/cleanup.h"
#include "pricing/feeds/source.h"

#include <string.h>

static const struct class
{
    const char *name;
    enum commitment commitment;
} reserved[] = {{"standard", COMMITMENT_RESERVED}, {"convertible", COMMITMENT_CONVERTIBLE}},
  plan_kinds[] = {{"ComputeSavingsPlans", COMMITMENT_SAVINGS_PLAN},
                  {"EC2InstanceSavingsPlans", COMMITMENT_INSTANCE_SAVINGS_PLAN}};

static bool read_class(const char *name, const struct class classes[2],
                       enum commitment *ret_commitment)
{
    for (size_t i = 0; i < 2; i++)
        if (strcmp(name, classes[i].name) == 0) {
            *ret_commitment = classes[i].commitment;
            return true;
        }
    return false;
}

static bool read_kind(const struct aws_term_words *words, const struct class classes[2],
                      enum price_kind *ret_kind)
{
    static const char *const options[] = {[PAYMENT_BY_HOUR] = "No Upfront",
                                          [PAYMENT_PARTIAL] = "Partial Upfront",
                                          [PAYMENT_UPFRONT] = "All Upfront"};
    struct price_terms terms = {.years = 0};

    if (!read_class(words->class, classes, &terms.commitment))
        return false;
    if (strcmp(words->length, "1yr") == 0)
        terms.years = 1;
    else if (strcmp(words->length, "3yr") == 0)
        terms.years = 3;
    for (size_t i = 0; i < COUNT(options); i++)
        if (strcmp(words->option, options[i]) == 0) {
            terms.payment = (enum payment)i;
            return price_kind_of_terms(&terms, ret_kind);
        }
    return false;
}

bool aws_commitment_kind(const struct aws_term_words *words, enum price_kind *ret_kind)
{
    return read_kind(words, reserved, ret_kind);
}

bool aws_plan_kind(const struct aws_term_words *words, enum price_kind *ret_kind)
{
    return read_kind(words, plan_kinds, ret_kind);
}

void aws_amounts_take(struct aws_amounts *amounts, const char *unit, const char *price)
{
    bool hourly = strcmp(unit, "Hrs") == 0;
    long long *amount = hourly ? &amounts->hourly_nanos : &amounts->upfront_nanos;
    long long nanos;

    if (!hourly && strcmp(unit, "Quantity") != 0)
        return;
    if (*amount >= 0 || !price_read_amount(price, &nanos))
        amounts->spoiled = true;
    else
        *amount = nanos;
}

static void commitment_join(long long *amount, long long more, bool *spoiled)
{
    *spoiled |= *amount >= 0 && more >= 0;
    if (more >= 0)
        *amount = more;
}

void aws_amounts_join(struct aws_amounts *amounts, const struct aws_amounts *more)
{
    amounts->spoiled |= more->spoiled;
    commitment_join(&amounts->hourly_nanos, more->hourly_nanos, &amounts->spoiled);
    commitment_join(&amounts->upfront_nanos, more->upfront_nanos, &amounts->spoiled);
}

bool aws_commitment_read(json_t *term, const char *currency, enum price_kind *ret_kind,
                         struct aws_amounts *ret_amounts)
{
    const json_t *attributes = json_object_get(term, "termAttributes");
    const struct aws_term_words words = {.length = source_text(attributes, "LeaseContractLength"),
                                         .class = source_text(attributes, "OfferingClass"),
                                         .option = source_text(attributes, "PurchaseOption")};
    struct aws_amounts amounts = AWS_NO_AMOUNTS;
    const char *key;
    json_t *dimension;

    if (!aws_commitment_kind(&words, ret_kind))
        return false;
    json_object_foreach(json_object_get(term, "priceDimensions"), key, dimension)
        aws_amounts_take(&amounts, source_text(dimension, "unit"),
                         source_text(json_object_get(dimension, "pricePerUnit"), currency));
    *ret_amounts = amounts;
    return true;
}
