/* Hourly prices of one type in some regions at a moment, and the question. */
#pragma once

#include "common/limits.h"
#include "db/prices/price_at.h"

#include <stdbool.h>
#include <stddef.h>

#define OFFER_COMMITTED_MAX 4 /* kinds of commitments in one question */

struct offers_question {
    const char *regions[QUESTION_LIST_MAX + 1]; /* NULL-terminated; the first with a price wins */
    const char *instance;                       /* only this type; NULL: all */
    /* Kinds of commitments to load as well; others are not loaded. */
    enum price_kind committed[OFFER_COMMITTED_MAX];
    size_t committed_count;
    const char *zone; /* only this zone's spot; NULL: the cheapest zone of the region */
    long long at_us;
    bool is_now;  /* at_us is now: the current prices of the series are enough */
    bool at_home; /* the regions were not asked for: answers/compare/homes.h; not used here */
};

/* Each price is valid at the moment, in USD, or says why there is none. */
struct offer {
    char provider[PROVIDER_SIZE], instance[INSTANCE_SIZE];
    const struct price_at *on_demand, *spot, *typed, *published_on_demand, *published_spot;
    const struct price_at *committed[OFFER_COMMITTED_MAX]; /* of each requested kind */
    char band[16]; /* interruption rate in the advisor's words; "" unknown */
};

struct offers {
    struct offer *list; /* owned: by instance and provider */
    size_t count;
    struct price_at *prices; /* owned: what the list points to */
    size_t price_count;
};
