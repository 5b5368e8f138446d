/* The prices of machine parts in each region, and the prices of machine types computed from them.
 * A type has a price only if all its parts are known without contradiction. */
#pragma once

#include "pricing/feeds/gcp/gcp_types.h"
#include "pricing/feeds/price_batch.h"

#define GCP_REGIONS_MAX 256

/* One entry of the price list: for an hour of a core, of a GiB, or of another part. */
struct gcp_rate {
    long long nanos; /* 0: the entry exists, but is unusable */
    bool monthly;    /* per month of GCP_MONTH_HOURS instead */
    char sku[40];
    long long since_us; /* 0 if not stated */
};

struct gcp_rates;
struct gcp_rates *gcp_rates_new(void);
void gcp_rates_free(struct gcp_rates *rates); /* NULL is fine */

/* A second, different rate for the same component in a region invalidates it there, and so does
 * an unusable one. Such rates are counted as ambiguous. Fails if there are too many regions. */
MUST_USE bool gcp_rates_add(struct gcp_rates *rates, const char *region,
                            const struct gcp_component *component, const struct gcp_rate *rate,
                            struct error *err);

/* Adds the price of every type that is complete, and the type itself. */
MUST_USE bool gcp_rates_price(const struct gcp_rates *rates, struct price_batch *batch,
                              struct error *err);
