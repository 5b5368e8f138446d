/* What an hour of every type costs in some regions at a moment: all kinds, chosen among the feeds
 * that say so, ready to be put beside standings. Loaded once for many questions. */
#pragma once

#include "common/limits.h"
#include "db/db.h"
#include "pricing/freshness.h"
#include "pricing/price.h"

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

/* What was read of single regions, for the next question that names one of them beside others.
 * One thread at a time. */
struct offer_store;
struct offer_store *offer_store_new(void) __attribute__((returns_nonnull, warn_unused_result));
void offer_store_free(struct offer_store *store); /* NULL is fine */

/* Every type with a price in one of the regions, or typed or published anywhere. `store`, unless
 * NULL, is used for what was read when revision_read_prices() said `prices`, too: the same
 * moment, or the same minute where that is now. */
bool offers_load(struct db *db, const struct offers_question *question, struct offer_store *store,
                 long long prices, struct offers *ret_offers, struct error *err)
    __attribute__((warn_unused_result));

/* One type in one region. */
struct offers_place {
    const char *region, *instance;
};

/* The same for each of many places, one list each: the caller frees all of them, whatever this
 * returned. Regions and instance of the question are not looked at. */
bool offers_load_places(struct db *db, const struct offers_question *question,
                        const struct offers_place places[], size_t count, struct offers lists[],
                        struct error *err) __attribute__((warn_unused_result));

/* NULL when there is none. With provider "" the only offer of that instance, if it is the only.
 */
const struct offer *offers_find(const struct offers *offers, const char *provider,
                                const char *instance);

void offers_free(struct offers *offers);
