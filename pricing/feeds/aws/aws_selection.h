/* Which of AWS's many products of EC2 is the one that an hour of Linux on demand costs, and what
 * its terms say. Shared by everything that reads AWS's price list, in JSON or in CSV. */
#pragma once

#include "pricing/feeds/price_batch.h"

#include <jansson.h>

/* Whether this may be a region's name: lower-case letters, digits and dashes, so that it may be
 * part of an address or of a request. */
bool aws_is_region(const char *name);

/* A product as its attributes say; NULL or "" where one is not there. */
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

/* A product's "attributes" in JSON; its texts live as long as they. */
struct aws_row aws_row_of(const json_t *product_attributes, const char *product_family);

/* The same of a product's "attributes" in JSON and its "productFamily" (NULL where it has none).
 */
bool aws_is_wanted(const json_t *product_attributes, const char *product_family,
                   const char *region);

/* What AWS charges in: CNY in China, which has a host, a list and an account of its own, else
 * USD. */
const char *aws_currency_of(const char *region);

/* One price by the hour, more than 0, from the first hour to the last. The caller has picked the
 * currency. */
struct aws_rate {
    const char *unit, *begin_range, *end_range, *price; /* NULL or "": not there */
};

/* Whether it is for hours at all; and whether it is the price of any hour, then. */
bool aws_rate_is_hourly(const struct aws_rate *rate);
bool aws_rate_is_plain(const struct aws_rate *rate);

/* Reads the terms of one SKU on demand: {"<SKU>.<term>": {"priceDimensions": {...}}, ...}. There
 * must be exactly one price per hour in all of them, from the first hour to the last, in the
 * currency, more than 0; anything else is false. The texts live as long as the terms: the price
 * as AWS writes it; its rate code, "" where there is none; since when it is valid, "" where it
 * does not say. */
MUST_USE bool aws_term_price(json_t *terms_of_sku, const char *currency, const char **ret_text,
                             const char **ret_rate_code, const char **ret_since);

/* Fills in what the attributes vcpu ("8") and memory ("16 GiB", "1,952 GiB") say; 0 where they
 * cannot be read. */
void aws_describe_type(const char *vcpus, const char *memory, struct instance_type *type);
