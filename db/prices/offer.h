/* What an hour of one type costs in some regions at a moment, and the question that asks. */
#pragma once

#include "common/limits.h"
#include "pricing/freshness.h"
#include "pricing/price.h"

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

/* One price, and where it comes from. Prices of other currencies than USD are never chosen. */
struct quote {
    bool known;
    enum price_kind kind;
    long long series, nanos;
    long long upfront_nanos; /* as in struct price */
    char region[REGION_SIZE], zone[REGION_SIZE], feed[32];
    char text[40]; /* as it was received */
    bool third_party;
    long long since_us, fetched_us, source_us; /* as in struct price_view; 0 unknown */
    enum freshness freshness;                  /* never expired, but where `is_published` */
    bool is_published;      /* of the feed "published": belongs to published figures */
    double low, high, mean; /* dollars: spot over the last seven days, weighted by time; 0: not
                               spot, or not known */
    char why_not[120];      /* of one that is not known: "no feed has ...", "expired: ..." */
};

struct offer {
    char provider[PROVIDER_SIZE], instance[INSTANCE_SIZE];
    struct quote on_demand, spot, typed, published_on_demand, published_spot;
    const struct quote *committed; /* of each kind that was asked for; NULL: of none */
    char band[16]; /* how often spot is interrupted, as the advisor words it; "" unknown */
};

struct offers {
    struct offer *list; /* by instance and provider */
    size_t count;
    struct quote *committed; /* what the list points to */
};
