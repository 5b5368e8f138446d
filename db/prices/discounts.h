/* What a person gets off the list: factors for a provider and a family of types, each valid from
 * a moment on. A discount is always shown beside the price it was taken off, never instead. */
#pragma once

#include "common/limits.h"
#include "common/taken_back.h"
#include "db/db.h"
#include "pricing/price.h"

struct discount {
    char provider[PROVIDER_SIZE];
    char family[32]; /* what a type's name begins with, up to its '.' or '_' or '-'; "" for all */
    enum price_kind kind; /* on demand or spot */
    double factor;        /* more than 0, at most 1; 0: none any more */
    char note[128];
    long long since_us;
    long long number;            /* names it where one is withdrawn; 0 before it is stored */
    struct taken_back withdrawn; /* also where that was after the moment of the question */
};

/* `ret_number` may be NULL. ERROR_CONFLICT where one was stored for that very moment, and not
 * withdrawn. */
MUST_USE bool discounts_put(struct db *db, const struct discount *discount, long long *ret_number,
                            struct error *err);

/* Calls tell() for those in force at a moment, the most special first. One that was withdrawn was
 * in force until then. */
MUST_USE bool discounts_each(struct db *db, long long at_us,
                             void (*tell)(void *user, const struct discount *discount),
                             void *user, struct error *err);

/* Calls tell() for all that were stored with a moment until then, withdrawn ones included, the
 * latest first. */
MUST_USE bool discounts_history(struct db *db, long long at_us,
                                void (*tell)(void *user, const struct discount *discount),
                                void *user, struct error *err);

/* ERROR_NOT_FOUND. */
MUST_USE bool discounts_find(struct db *db, long long number, struct discount *ret_discount,
                             struct error *err);

/* The most special of them that applies to a price. */
bool discount_applies(const struct discount *discount, const struct price *price);

/* How many instance types with a price of its kind it applies to now: 0 of a provider or family
 * that no feed knows. */
MUST_USE bool discounts_reach(struct db *db, const struct discount *discount,
                              long long *ret_types, struct error *err);

#define DISCOUNTS_MAX 200

/* The discounts in force, the most special first. */
struct discount_list {
    size_t count;
    struct discount list[DISCOUNTS_MAX];
};

/* For discounts_each(), with a struct discount_list. */
void discount_list_add(void *list, const struct discount *discount);
