/* Typed prices: one at a time in JSON, or many in a file, CSV or JSON. */
#pragma once

#include "common/rows/body.h"
#include "pricing/feeds/source.h"

/* Fills a struct price. */
extern const struct body typed_price_body;

/* {"instance_type": "c7i.2xlarge", "price_per_hour": "0.30", ...}: fills in a price of the feed
 * "typed", valid from `valid_from` or from now. With "price_per_hour": null its nanos are 0: the
 * price is withdrawn. ERROR_INVALID names the field and the allowed values. */
MUST_USE bool manual_from_json(const json_t *json, long long now_us, struct price *ret_price,
                               struct error *err);

/* A row of a file, of any kind; missing texts are NULL or "". */
struct price_row {
    const char *provider, *region, *zone, *instance_type, *kind, *currency, *price_per_hour,
        *valid_from, *reference;
};

MUST_USE bool price_from_row(const struct price_row *row, struct price *ret_price,
                             struct error *err);
