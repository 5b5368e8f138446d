/* What one reading of a feed has brought together, before anybody decides whether to believe it:
 * prices, each once; what the feed says of instance types; and how often spot instances are
 * interrupted. In memory, one reading at a time. */
#pragma once

#include "pricing/price.h"

#define BASKET_PRICES_MAX 400000 /* more than any feed has: beyond, the reading fails */

/* What a feed says of an instance type; 0 and "" where it does not say. */
struct instance_type {
    char provider[16];
    char name[64];
    double vcpus;
    double memory_gib;
    char architecture[16]; /* "x86_64", "arm64" */
    char accelerator[40];  /* what else is in it, as the feed names it */
};

/* How often spot instances of a type were interrupted there, as a band of the feed's own. */
struct interruption {
    char provider[16];
    char region[40];
    char instance_type[64];
    char band[16]; /* "5-10%" */
};

/* What was left out, and why; a feed that grows a new dimension is seen here. */
struct basket_tally {
    long long seen;      /* entries that were looked at */
    long long unpriced;  /* said to have no price, like "N/A*" */
    long long malformed; /* could not be read, or cost nothing, or more than anything may */
    long long ambiguous; /* several entries for one price, all of which were thrown out */
};

struct basket;

/* What the reader learns on the way. */
struct basket_facts {
    long long source_us; /* when the feed says it was published; 0 where it does not */
    char mark[96];       /* what tells the next reading that nothing changed: a version */
    struct basket_tally tally;
};

/* Every price added gets this feed's name and time. */
struct basket *basket_new(const char *feed, long long fetched_us, struct error *err)
    __attribute__((warn_unused_result));
void basket_free(struct basket *basket); /* NULL is fine */
void basket_freep(struct basket **basket);

/* Forgets all that was added, and the facts. */
void basket_empty(struct basket *basket);

struct basket_facts *basket_facts(struct basket *basket);

enum basket_twin { TWIN_IS_AMBIGUOUS, TWIN_MAY_BE_EQUAL };

/* Adds a price. A second one for the same (provider, region, zone, type, kind, currency) makes
 * both of them ambiguous: neither is in the basket any more, nor is a third. With
 * TWIN_MAY_BE_EQUAL one that says the same is passed over instead. Fails only for lack of memory,
 * or of room. */
bool basket_add(struct basket *basket, const struct price *price, enum basket_twin twin,
                struct error *err) __attribute__((warn_unused_result));

/* A type that is there already gets what it lacked. */
bool basket_add_type(struct basket *basket, const struct instance_type *type, struct error *err)
    __attribute__((warn_unused_result));
bool basket_add_interruption(struct basket *basket, const struct interruption *interruption,
                             struct error *err) __attribute__((warn_unused_result));

size_t basket_count(const struct basket *basket); /* of prices that are not ambiguous */
size_t basket_type_count(const struct basket *basket);
size_t basket_interruption_count(const struct basket *basket);

/* Places of prices, ambiguous ones among them: for arrays beside the basket. */
size_t basket_places(const struct basket *basket);

/* Walks: `*position` is one more than the place of what it returned, and
 * starts at 0. NULL at the end. */
const struct price *basket_next(const struct basket *basket, size_t *position);
const struct instance_type *basket_type(const struct basket *basket, size_t index);
const struct interruption *basket_interruption(const struct basket *basket, size_t index);

/* For readers that learn what a band is called at the end. */
void basket_name_band(struct basket *basket, size_t index, const char band[16]);

/* The price that this one would be a twin of, or NULL; its place, for arrays beside the basket.
 */
const struct price *basket_find(const struct basket *basket, const struct price *like,
                                size_t *ret_place);
