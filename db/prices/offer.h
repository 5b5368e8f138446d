/* What an hour of one type costs in some regions at a moment, and the question that asks. */
#pragma once

#include "common/limits.h"
#include "db/prices/price_at.h"

#include <stdbool.h>
#include <stddef.h>

#define OFFER_COMMITTED_MAX 4 /* kinds of commitments that are asked for at once */

struct offers_question {
    const char *regions[QUESTION_LIST_MAX + 1]; /* NULL-terminated; the first that has a price */
    const char *instance;                       /* only this type; NULL: all */
    /* Kinds of commitments that offers are to have, too; what is not asked for is not loaded. */
    enum price_kind committed[OFFER_COMMITTED_MAX];
    size_t committed_count;
    const char *zone; /* only this zone's spot; NULL: the cheapest of the region's */
    long long at_us;
    bool is_now;  /* at_us is this moment: what series are today is enough */
    bool at_home; /* the regions were not asked for: answers/compare/homes.h; no matter here */
};

/* Each price is one that holds, in USD, or says why there is none. */
struct offer {
    char provider[PROVIDER_SIZE], instance[INSTANCE_SIZE];
    const struct price_at *on_demand, *spot, *typed, *published_on_demand, *published_spot;
    const struct price_at *committed[OFFER_COMMITTED_MAX]; /* of each kind that was asked for */
    char band[16]; /* how often spot is interrupted, as the advisor words it; "" unknown */
};

struct offers {
    struct offer *list; /* owned: by instance and provider */
    size_t count;
    struct price_at *prices; /* owned: what the list points to */
    size_t price_count;
};
