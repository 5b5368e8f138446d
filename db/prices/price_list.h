/* Asking for prices: which there were at a time, and what a price ever was. */
#pragma once

#include "common/taken_back.h"
#include "db/prices/price_at.h"

struct price_filter {
    const char *provider, *region, *zone, *instance_type, *kind, *feed; /* NULL for any */
    long long at_us; /* the moment that is asked about */
    long long after; /* the series that an earlier answer ended with; 0 */
    long long limit;
};

/* A price as it was at a moment, and what was said of it later. */
struct listed_price {
    struct price_at at; /* without a number in a history: from then on there was none */
    /* What a reading says of one in doubt that still holds today, and is not accepted yet. */
    struct {
        long long since_us; /* when it was said first; 0: nothing waits */
        long long nanos;    /* 0: there is none any more */
        long long count;    /* prices that wait with it, of the same scope */
    } waiting;
    struct taken_back withdrawn; /* also where that was after the moment */
};

typedef void price_tell_fn(void *user, const struct listed_price *listed);

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
MUST_USE bool price_find(struct db *db, const struct price_key *key,
                         struct listed_price *ret_listed, struct error *err);
