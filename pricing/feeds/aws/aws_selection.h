/* Selects, among AWS's many EC2 products, the one for Linux on demand, and reads its terms. Used
 * by every reader of AWS's price list, JSON or CSV. */
#pragma once

#include "pricing/feeds/price_batch.h"

#include <jansson.h>

/* Whether this is a safe region name (lower-case letters, digits and dashes), usable in an
 * address or a request. */
bool aws_is_region(const char *name);

/* The attributes of a product; NULL or "" where missing. */
struct aws_row {
    const char *family;           /* productFamily, "Product Family" */
    const char *operating_system; /* operatingSystem, "Operating System" */
    const char *tenancy;          /* tenancy, "Tenancy" */
    const char *software;         /* preInstalledSw, "Pre Installed S/W" */
    const char *capacity;         /* capacitystatus, "CapacityStatus" */
    const char *market;           /* marketoption, "MarketOption" */
    const char *license;          /* licenseModel, "License Model" */
    const char *operation;        /* operation, "operation" */
    const char *usage;            /* usagetype, "usageType" */
    const char *location_type;    /* locationType, "Location Type" */
    const char *region;           /* regionCode, "Region Code" */
};

/* Whether this is the Linux instance on shared hardware that everybody can start in `region`, and
 * none of its twins: dedicated, reserved, with a licence, in a local zone, of a capacity block.
 * Every attribute must say so, with two exceptions for lists of 2020 and before:
 * - no market: they knew none but on demand;
 * - no region: then `region` must be what the list was asked for, by its file's name or by a
 *   filter on regionCode. Only the usages of us-east-1 have no prefix: that much is looked at. */
bool aws_row_is_wanted(const struct aws_row *row, const char *region);

/* A product's "attributes" in JSON; the texts live as long as the JSON. */
struct aws_row aws_row_of(const json_t *product_attributes, const char *product_family);

/* The same for a product's "attributes" in JSON and its "productFamily" (NULL if it has none). */
bool aws_is_wanted(const json_t *product_attributes, const char *product_family,
                   const char *region);

/* AWS's currency: CNY in China, which has its own host, list and account, else USD. */
const char *aws_currency_of(const char *region);

/* One price by the hour, more than 0, without usage tiers. The caller has picked the currency. */
struct aws_rate {
    const char *unit, *begin_range, *end_range, *price; /* NULL or "": missing */
};

/* Whether it is hourly; and whether it is then the price of every hour. */
bool aws_rate_is_hourly(const struct aws_rate *rate);
bool aws_rate_is_plain(const struct aws_rate *rate);

/* Reads the on-demand terms of one SKU: {"<SKU>.<term>": {"priceDimensions": {...}}, ...}. They
 * must hold exactly one hourly price, without usage tiers, in the currency, more than 0;
 * otherwise false. The texts live as long as the terms: the price as AWS writes it; its rate
 * code, "" if none; since when it is valid, "" if not stated. */
MUST_USE bool aws_term_price(json_t *terms_of_sku, const char *currency, const char **ret_text,
                             const char **ret_rate_code, const char **ret_since);

/* Reads the attributes vcpu ("8") and memory ("16 GiB", "1,952 GiB"); 0 if unreadable. */
void aws_describe_type(const char *vcpus, const char *memory, struct instance_type *type);
