/* Lists of prices: those valid at a moment, and full histories. */
#pragma once

#include "common/taken_back.h"
#include "db/prices/price_at.h"

struct price_filter {
    const char *provider, *region, *zone, *instance_type, *kind, *feed; /* NULL for any */
    long long at_us; /* the moment of the question */
    long long after; /* the last series of the previous page; 0 */
    long long limit;
};

/* A price as it was at a moment, and later changes of its state. */
struct listed_price {
    struct price_at at; /* in a history, no number: the price ended then */
    /* A later reading of a current price, held back for confirmation. */
    struct {
        long long since_us; /* when it was read first; 0: nothing is held */
        long long nanos;    /* 0: the price was removed */
        long long count;    /* prices of the same scope held with it */
    } waiting;
    struct taken_back withdrawn; /* set even if withdrawn after the moment */
};

typedef void price_tell_fn(void *user, const struct listed_price *listed);

/* Calls tell() for the prices valid at filter->at_us, by series. A withdrawn price was valid
 * until its withdrawal. */
MUST_USE bool price_list(struct db *db, const struct price_filter *filter, price_tell_fn *tell,
                         void *user, struct error *err);

/* Calls tell() for every price of the matching series up to filter->at_us, withdrawn ones
 * included, the latest first. The filter must name an instance type; without one nothing is
 * listed. */
MUST_USE bool price_history(struct db *db, const struct price_filter *filter, price_tell_fn *tell,
                            void *user, struct error *err);

/* Identifies a price in a history. */
struct price_key {
    long long series, since_us;
};

/* The price of a key; one that is not withdrawn is preferred. ERROR_NOT_FOUND. */
MUST_USE bool price_find(struct db *db, const struct price_key *key,
                         struct listed_price *ret_listed, struct error *err);
