#include "pricing/feeds/aws/aws_selection.h"

#include "pricing/feeds/source.h"

#include <string.h>

bool aws_is_region(const char *name)
{
    return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

static bool is_absent(const char *text)
{
    return !text || !text[0];
}

static bool text_is(const char *text, const char *wanted)
{
    return text && strcmp(text, wanted) == 0;
}

/* "BoxUsage:m5.large" or "EUC1-BoxUsage:m5.large", but not "HostBoxUsage:m5.large". */
static bool is_box_usage(const char *usage, bool *ret_has_prefix)
{
    const char *box = usage ? strstr(usage, "BoxUsage:") : NULL;

    if (!box || (box > usage && box[-1] != '-'))
        return false;
    *ret_has_prefix = box > usage;
    return true;
}

static bool is_of_region(const struct aws_row *row, bool has_prefix, const char *region)
{
    if (!is_absent(row->region))
        return strcmp(row->region, region) == 0;
    return has_prefix == (strcmp(region, "us-east-1") != 0);
}

bool aws_row_is_wanted(const struct aws_row *row, const char *region)
{
    bool has_prefix = false;

    return (text_is(row->family, "Compute Instance") ||
            text_is(row->family, "Compute Instance (bare metal)")) &&
           text_is(row->operating_system, "Linux") && text_is(row->tenancy, "Shared") &&
           text_is(row->software, "NA") && text_is(row->capacity, "Used") &&
           (is_absent(row->market) || text_is(row->market, "OnDemand")) &&
           text_is(row->license, "No License required") &&
           text_is(row->operation, "RunInstances") && text_is(row->location_type, "AWS Region") &&
           is_box_usage(row->usage, &has_prefix) && is_of_region(row, has_prefix, region);
}

/* NULL where there is none; what is there but no text is like no word of AWS. */
static const char *selection_attribute(const json_t *attributes, const char *name)
{
    const json_t *value = json_object_get(attributes, name);

    if (!value)
        return NULL;
    return json_is_string(value) ? json_string_value(value) : "?";
}

struct aws_row aws_row_of(const json_t *product_attributes, const char *product_family)
{
    return (struct aws_row){
        .family = product_family,
        .operating_system = selection_attribute(product_attributes, "operatingSystem"),
        .tenancy = selection_attribute(product_attributes, "tenancy"),
        .software = selection_attribute(product_attributes, "preInstalledSw"),
        .capacity = selection_attribute(product_attributes, "capacitystatus"),
        .market = selection_attribute(product_attributes, "marketoption"),
        .license = selection_attribute(product_attributes, "licenseModel"),
        .operation = selection_attribute(product_attributes, "operation"),
        .usage = selection_attribute(product_attributes, "usagetype"),
        .location_type = selection_attribute(product_attributes, "locationType"),
        .region = selection_attribute(product_attributes, "regionCode"),
    };
}

bool aws_is_wanted(const json_t *product_attributes, const char *product_family,
                   const char *region)
{
    const struct aws_row row = aws_row_of(product_attributes, product_family);

    return aws_row_is_wanted(&row, region);
}

const char *aws_currency_of(const char *region)
{
    return strncmp(region, "cn-", 3) == 0 ? "CNY" : "USD";
}

bool aws_rate_is_hourly(const struct aws_rate *rate)
{
    return text_is(rate->unit, "Hrs");
}

bool aws_rate_is_plain(const struct aws_rate *rate)
{
    long long nanos;

    return aws_rate_is_hourly(rate) && text_is(rate->begin_range, "0") &&
           (is_absent(rate->end_range) || text_is(rate->end_range, "Inf")) && rate->price &&
           price_read_nanos(rate->price, &nanos);
}

/* What one term says; counts prices by the hour, also those that cannot be taken. */
struct found {
    const char *currency;
    size_t hourly;
    const char *text, *rate_code, *since;
};

static void look_at_dimension(struct found *found, const json_t *dimension, const json_t *term)
{
    const struct aws_rate rate = {
        .unit = selection_attribute(dimension, "unit"),
        .begin_range = selection_attribute(dimension, "beginRange"),
        .end_range = selection_attribute(dimension, "endRange"),
        .price =
            selection_attribute(json_object_get(dimension, "pricePerUnit"), found->currency)};
    const char *code = selection_attribute(dimension, "rateCode");
    const char *since = selection_attribute(term, "effectiveDate");

    if (!aws_rate_is_hourly(&rate))
        return;
    found->hourly++;
    if (!aws_rate_is_plain(&rate))
        return;
    found->text = rate.price;
    found->rate_code = code ? code : "";
    found->since = since ? since : "";
}

bool aws_term_price(json_t *terms_of_sku, const char *currency, const char **ret_text,
                    const char **ret_rate_code, const char **ret_since)
{
    struct found found = {.currency = currency};
    const char *term_key, *key;
    json_t *term, *dimension;

    json_object_foreach(terms_of_sku, term_key, term)
        json_object_foreach(json_object_get(term, "priceDimensions"), key, dimension)
            look_at_dimension(&found, dimension, term);
    /* A second one, even one that costs nothing, would make the first a guess. */
    if (found.hourly != 1 || !found.text)
        return false;
    *ret_text = found.text;
    *ret_rate_code = found.rate_code;
    *ret_since = found.since;
    return true;
}

void aws_describe_type(const char *vcpus, const char *memory, struct instance_type *type)
{
    type->vcpus = source_count(vcpus ? vcpus : "");
    type->memory_gib = source_gib(memory ? memory : "");
}
