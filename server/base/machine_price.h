/* The price of an hour of this machine, chosen among all prices of its type; or why it is
 * unknown, and what to do about it. */
#pragma once

#include "db/prices/price_list.h"
#include "pricing/machine/identity.h"

struct machine_price {
    bool known;
    struct price_at at;
    double factor;      /* of the discount; 1 for none */
    char discount[128]; /* the discount's note */
    double dollars;     /* an hour, after the discount */
    char why_not[480];  /* why the price is unknown */
};

struct machine_price_question {
    const struct identity *identity;
    const char *name; /* of its prices if its type is unknown: price_name_of_machine(); or NULL */
    double given;     /* dollars an hour: the option --price-per-hour, which wins; 0 for none */
    bool has_gcp_key;
    long long at_us;
};

MUST_USE bool machine_price_find(struct db *db, const struct machine_price_question *question,
                                 struct machine_price *ret_price, struct error *err);
