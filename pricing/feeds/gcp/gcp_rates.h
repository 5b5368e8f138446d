/* What the parts of machines cost in each region, and what that makes of machine types. A type
 * has a price where all its parts are known beyond doubt, and else none. */
#pragma once

#include "pricing/feeds/gcp/gcp_types.h"
#include "pricing/feeds/price_batch.h"

#define GCP_REGIONS_MAX 256

/* One entry of the price list: for an hour of a core, of a GiB, or of another part. */
struct gcp_rate {
    long long nanos; /* 0: the entry is there, but what it says cannot be used */
    bool monthly;    /* for a month of GCP_MONTH_HOURS instead */
    char sku[40];
    long long since_us; /* 0 where it does not say */
};

struct gcp_rates;
struct gcp_rates *gcp_rates_new(void);
void gcp_rates_free(struct gcp_rates *rates); /* NULL is fine */

/* A second rate for the same component in a region, when it is another, spoils the component
 * there, and so does one that cannot be used. Such rates are counted as ambiguous. Fails
 * with more regions than there may be. */
MUST_USE bool gcp_rates_add(struct gcp_rates *rates, const char *region,
                            const struct gcp_component *component, const struct gcp_rate *rate,
                            struct error *err);

/* Adds the price of every type that is complete, and the type itself. */
MUST_USE bool gcp_rates_price(const struct gcp_rates *rates, struct price_batch *batch,
                              struct error *err);
