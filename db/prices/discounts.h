/* Discounts that a person typed: factors for a provider and a family of types, each valid from a
 * date on. A discount is always shown next to the list price, never instead. */
#pragma once

#include "common/limits.h"
#include "common/taken_back.h"
#include "db/db.h"
#include "pricing/price.h"

struct discount {
    char provider[PROVIDER_SIZE];
    char family[32];      /* prefix of a type's name, up to its '.' or '_' or '-'; "" for all */
    enum price_kind kind; /* on demand or spot */
    double factor;        /* more than 0, at most 1; 0: ended */
    char note[128];
    long long since_us;
    long long number;            /* its id for a withdrawal; 0 before it is stored */
    struct taken_back withdrawn; /* set even if withdrawn after the moment of the question */
};

/* `ret_number` may be NULL. ERROR_CONFLICT if another one is stored for the same moment and not
 * withdrawn. */
MUST_USE bool discounts_put(struct db *db, const struct discount *discount, long long *ret_number,
                            struct error *err);

/* Calls tell() for those in force at a moment, the most specific first. A withdrawn one was in
 * force until its withdrawal. */
MUST_USE bool discounts_each(struct db *db, long long at_us,
                             void (*tell)(void *user, const struct discount *discount),
                             void *user, struct error *err);

/* Calls tell() for all with a date up to then, withdrawn ones included, the latest first. */
MUST_USE bool discounts_history(struct db *db, long long at_us,
                                void (*tell)(void *user, const struct discount *discount),
                                void *user, struct error *err);

/* ERROR_NOT_FOUND. */
MUST_USE bool discounts_find(struct db *db, long long number, struct discount *ret_discount,
                             struct error *err);

/* The most specific discount that applies to a price. */
bool discount_applies(const struct discount *discount, const struct price *price);

/* How many instance types with a current price of its kind it applies to; 0 for an unknown
 * provider or family. */
MUST_USE bool discounts_reach(struct db *db, const struct discount *discount,
                              long long *ret_types, struct error *err);

#define DISCOUNTS_MAX 200

/* The discounts in force, the most specific first. */
struct discount_list {
    size_t count;
    struct discount list[DISCOUNTS_MAX];
};

/* Callback for discounts_each(), with a struct discount_list. */
void discount_list_add(void *list, const struct discount *discount);
