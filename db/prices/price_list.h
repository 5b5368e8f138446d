/* Asking for prices: which there were at a time, and what a price ever was. */
#pragma once

#include "common/taken_back.h"
#include "db/db.h"
#include "pricing/price.h"

struct price_filter {
    const char *provider, *region, *zone, *instance_type, *kind, *feed; /* NULL for any */
    long long at_us; /* the moment that is asked about */
    long long after; /* the series that an earlier answer ended with; 0 */
    long long limit;
};

/* What a later reading says of a price and is not accepted yet. */
struct waiting_price {
    long long since_us; /* when it was said first; 0: nothing waits */
    long long nanos;    /* 0: there is none any more */
    long long count;    /* prices that wait with it, of the same scope */
};

/* A price as it was at a moment. */
struct price_view {
    long long series;
    struct price price; /* nanos 0 in a history: from then on there was none */
    long long since_us; /* when it began to hold */
    /* The last time before the moment that the feed said so: when it was asked, and the time that
     * it gave its answer; 0 where there is no feed (typed) or where it gives none. */
    long long confirmed_us, confirmed_source_us;
    bool doubted; /* a later reading says otherwise, which waits for another one to confirm it */
    struct waiting_price waiting; /* of one in doubt, that still holds today */
    struct taken_back withdrawn;  /* also where that was after the moment */
};

typedef void price_tell_fn(void *user, const struct price_view *view);

/* Calls tell() for the prices that held at filter->at_us, by series. One that was withdrawn held
 * until then. */
MUST_USE bool price_list(struct db *db, const struct price_filter *filter, price_tell_fn *tell,
                         void *user, struct error *err);

/* Calls tell() for all that the matching series ever were until filter->at_us, withdrawn ones
 * included, the latest first. The filter must name an instance type; without one there is
 * nothing. */
MUST_USE bool price_history(struct db *db, const struct price_filter *filter, price_tell_fn *tell,
                            void *user, struct error *err);

/* A price of a history. */
struct price_key {
    long long series, since_us;
};

/* The price of a key: the one that holds before those that were withdrawn. ERROR_NOT_FOUND. */
MUST_USE bool price_find(struct db *db, const struct price_key *key, struct price_view *ret_view,
                         struct error *err);
