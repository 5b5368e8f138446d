/* The result of one reading of a feed, before it is accepted: prices, each once; instance types;
 * and how often spot instances are interrupted. In memory, one reading at a time. */
#pragma once

#include "common/limits.h"
#include "pricing/price.h"

#define PRICE_BATCH_PRICES_MAX 400000 /* no feed has more: the reading fails */

/* An instance type from a feed; 0 and "" where not stated. */
struct instance_type {
    char provider[PROVIDER_SIZE];
    char name[INSTANCE_SIZE];
    double vcpus;
    double memory_gib;
    char architecture[16]; /* "x86_64", "arm64" */
    char accelerator[40];  /* accelerators, as the feed names them */
};

/* How often spot instances of a type are interrupted in a region, as the feed's own band. */
struct interruption {
    char provider[PROVIDER_SIZE];
    char region[REGION_SIZE];
    char instance_type[INSTANCE_SIZE];
    char band[16]; /* "5-10%" */
};

/* Entries left out, by reason; shows when a feed changes its format. */
struct price_batch_tally {
    long long seen;      /* entries examined */
    long long unpriced;  /* explicitly without a price, like "N/A*" */
    long long malformed; /* unreadable, or 0, or above the limit */
    long long ambiguous; /* several entries for one price, all dropped */
    long long expensive; /* spot prices far above the price on demand */
};

struct price_batch;

/* Facts that the reader finds during the reading. */
struct price_batch_facts {
    long long source_us; /* the feed's publication time; 0 if not stated */
    char mark[96];       /* a version, for the next reading to detect no change */
    struct price_batch_tally tally;
};

/* Every price added gets this feed's name and time. */
struct price_batch *price_batch_new(const char *feed, long long fetched_us);
void price_batch_free(struct price_batch *batch); /* NULL is fine */
void price_batch_freep(struct price_batch **batch);

/* Removes everything, and the facts. */
void price_batch_empty(struct price_batch *batch);

struct price_batch_facts *price_batch_facts(struct price_batch *batch);

enum price_batch_twin { TWIN_IS_AMBIGUOUS, TWIN_MAY_BE_EQUAL };

/* Adds a price. A second one for the same (provider, region, zone, type, kind, currency) makes
 * all of them ambiguous: they are dropped. With TWIN_MAY_BE_EQUAL an equal one is ignored
 * instead. Fails only when there are too many prices. */
MUST_USE bool price_batch_add(struct price_batch *batch, const struct price *price,
                              enum price_batch_twin twin, struct error *err);

/* Adds a type, or the missing members of a known one. */
void price_batch_add_type(struct price_batch *batch, const struct instance_type *type);
void price_batch_add_interruption(struct price_batch *batch,
                                  const struct interruption *interruption);

size_t price_batch_count(const struct price_batch *batch); /* without ambiguous prices */
size_t price_batch_type_count(const struct price_batch *batch);
size_t price_batch_interruption_count(const struct price_batch *batch);

/* Drops the spot price at a place, which is far above the price on demand. */
void price_batch_drop_expensive(struct price_batch *batch, size_t place);

/* Number of places, dropped prices included: the size of parallel arrays. */
size_t price_batch_places(const struct price_batch *batch);

/* Iterates: `*position` starts at 0 and becomes the place of the returned price + 1. NULL at the
 * end. */
const struct price *price_batch_next(const struct price_batch *batch, size_t *position);
const struct instance_type *price_batch_type(const struct price_batch *batch, size_t index);
const struct interruption *price_batch_interruption(const struct price_batch *batch,
                                                    size_t index);

/* For readers that learn the name of a band at the end. */
void price_batch_name_band(struct price_batch *batch, size_t index, const char band[16]);

/* The price with the same key, or NULL; and its place, for parallel arrays. */
const struct price *price_batch_find(const struct price_batch *batch, const struct price *like,
                                     size_t *ret_place);
