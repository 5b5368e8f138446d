/* What one reading of a feed has brought together, before anybody decides whether to accept it:
 * prices, each once; what the feed says of instance types; and how often spot instances are
 * interrupted. In memory, one reading at a time. */
#pragma once

#include "common/limits.h"
#include "pricing/price.h"

#define PRICE_BATCH_PRICES_MAX 400000 /* more than any feed has: beyond, the reading fails */

/* What a feed says of an instance type; 0 and "" where it does not say. */
struct instance_type {
    char provider[PROVIDER_SIZE];
    char name[INSTANCE_SIZE];
    double vcpus;
    double memory_gib;
    char architecture[16]; /* "x86_64", "arm64" */
    char accelerator[40];  /* what else is in it, as the feed names it */
};

/* How often spot instances of a type were interrupted there, as a band of the feed's own. */
struct interruption {
    char provider[PROVIDER_SIZE];
    char region[REGION_SIZE];
    char instance_type[INSTANCE_SIZE];
    char band[16]; /* "5-10%" */
};

/* What was left out, and why; a feed that grows a new dimension is seen here. */
struct price_batch_tally {
    long long seen;      /* entries that were looked at */
    long long unpriced;  /* said to have no price, like "N/A*" */
    long long malformed; /* could not be read, or cost nothing, or more than anything may */
    long long ambiguous; /* several entries for one price, all of which were thrown out */
    long long expensive; /* spot prices far above the price on demand */
};

struct price_batch;

/* What the reader learns on the way. */
struct price_batch_facts {
    long long source_us; /* when the feed says it was published; 0 where it does not */
    char mark[96];       /* what tells the next reading that nothing changed: a version */
    struct price_batch_tally tally;
};

/* Every price added gets this feed's name and time. */
struct price_batch *price_batch_new(const char *feed, long long fetched_us);
void price_batch_free(struct price_batch *batch); /* NULL is fine */
void price_batch_freep(struct price_batch **batch);

/* Forgets all that was added, and the facts. */
void price_batch_empty(struct price_batch *batch);

struct price_batch_facts *price_batch_facts(struct price_batch *batch);

enum price_batch_twin { TWIN_IS_AMBIGUOUS, TWIN_MAY_BE_EQUAL };

/* Adds a price. A second one for the same (provider, region, zone, type, kind, currency) makes
 * both of them ambiguous: neither is in the basket any more, nor is a third. With
 * TWIN_MAY_BE_EQUAL one that says the same is passed over instead. Fails only with more
 * prices than there may be. */
MUST_USE bool price_batch_add(struct price_batch *batch, const struct price *price,
                              enum price_batch_twin twin, struct error *err);

/* A type that is there already gets what it lacked. */
void price_batch_add_type(struct price_batch *batch, const struct instance_type *type);
void price_batch_add_interruption(struct price_batch *batch,
                                  const struct interruption *interruption);

size_t price_batch_count(const struct price_batch *batch); /* of prices that are not ambiguous */
size_t price_batch_type_count(const struct price_batch *batch);
size_t price_batch_interruption_count(const struct price_batch *batch);

/* Leaves out the spot price at a place, which is far above the price on demand. */
void price_batch_drop_expensive(struct price_batch *batch, size_t place);

/* Places of prices, those without a price any more among them: for arrays beside the basket. */
size_t price_batch_places(const struct price_batch *batch);

/* Walks: `*position` is one more than the place of what it returned, and
 * starts at 0. NULL at the end. */
const struct price *price_batch_next(const struct price_batch *batch, size_t *position);
const struct instance_type *price_batch_type(const struct price_batch *batch, size_t index);
const struct interruption *price_batch_interruption(const struct price_batch *batch,
                                                    size_t index);

/* For readers that learn what a band is called at the end. */
void price_batch_name_band(struct price_batch *batch, size_t index, const char band[16]);

/* The price that this one would be a twin of, or NULL; its place, for arrays beside the basket.
 */
const struct price *price_batch_find(const struct price_batch *batch, const struct price *like,
                                     size_t *ret_place);
