/* AWS's GetProducts: the price list by question, a hundred products a page. Each product is a
 * text that holds JSON again. The service has few addresses, and each knows all regions of
 * the partition "aws"; the other partitions have none. */
#include "common/cleanup.h"
#include "common/json_text.h"

#include "common/limits.h"
#include "pricing/feeds/aws/aws_selection.h"
#include "pricing/feeds/json_page.h"
#include "pricing/feeds/pages.h"
#include "pricing/feeds/sources.h"
#include "pricing/parse_time.h"

#define PRODUCT_MAX (512 * 1024) /* with all its reservations */
#define TOKEN_SIZE 8192

enum { PATH_PRODUCT, PATH_TOKEN, PATH_FORMAT };
static const char *const products_paths[] = {"PriceList/*", "NextToken", "FormatVersion", NULL};

struct products_reader {
    struct document document;
    char endpoint[40]; /* the region that the address is in */
    char *body;
    char token[TOKEN_SIZE]; /* of the page that is next; "" for the first */
    struct pages pages;
    /* Of the page that is being read: */
    bool known_format, has_next;
    char next[TOKEN_SIZE]; /* "" for the last page */
};

static bool is_of_other_partition(const char *region)
{
    static const char *const prefixes[] = {"cn-", "us-gov-", "us-iso", "eu-isoe-", "eusc-", NULL};

    for (const char *const *prefix = prefixes; *prefix; prefix++)
        if (strncmp(region, *prefix, strlen(*prefix)) == 0)
            return true;
    return false;
}

static bool check_products_reading(const struct reading *reading, struct error *err)
{
    const char *region = reading->scope.name;

    if (!aws_is_region(region))
        return error_set(err, ERROR_INVALID, NULL, "'%s' is not a region of AWS, like us-east-1",
                         region);
    if (is_of_other_partition(region))
        return error_set(
            err, ERROR_INVALID, NULL,
            "GetProducts knows no prices of %s: China, GovCloud and other partitions "
            "are not in it",
            region);
    if (!reading->credentials)
        return error_set(err, ERROR_UNABLE, NULL, "GetProducts needs credentials of AWS");
    return true;
}

/* "https://api.pricing.eu-central-1.amazonaws.com" is in eu-central-1; the signature says so too,
 * whichever region the prices are of. */
static void find_endpoint(const char *url, char *ret_region, size_t size)
{
    static const char service[] = "api.pricing.";
    const char *begin = strstr(url, service);

    snprintf(ret_region, size, "us-east-1");
    if (!begin)
        return;
    begin += strlen(service);

    char region[REGION_SIZE];
    snprintf(region, sizeof region, "%.*s", (int)strcspn(begin, "./:"), begin);
    if (aws_is_region(region))
        snprintf(ret_region, size, "%s", region);
}

/* A filter per rule that the service can apply; aws_is_wanted() applies them all again. */
static json_t *make_filters(const char *region)
{
    const char *const filters[][2] = {
        {"regionCode", region},   {"operatingSystem", "Linux"}, {"tenancy", "Shared"},
        {"preInstalledSw", "NA"}, {"capacitystatus", "Used"},   {"marketoption", "OnDemand"},
    };
    json_t *list = json_array();

    for (size_t i = 0; i < COUNT(filters); i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "Type", "TERM_MATCH", "Field",
                                              filters[i][0], "Value", filters[i][1]));
    return list;
}

static char *make_products_body(const struct products_reader *reader)
{
    AUTO(json_decrefp) json_t *filters = make_filters(reader->document.reading->scope.name);
    AUTO(json_decrefp)
    json_t *body = json_pack("{s:s, s:s, s:i, s:O}", "ServiceCode", "AmazonEC2", "FormatVersion",
                             "aws_v1", "MaxResults", 100, "Filters", filters);

    if (reader->token[0])
        json_object_set_new(body, "NextToken", json_string(reader->token));
    return json_text(body);
}

/* The newest of all: the list is as new as what was last published of it. */
static void note_publication(struct price_batch *batch, const json_t *product)
{
    long long published_us;

    if (parse_time(source_text(product, "publicationDate"), &published_us) &&
        published_us > price_batch_facts(batch)->source_us)
        price_batch_facts(batch)->source_us = published_us;
}

static bool add_product_price(struct price_batch *batch, const struct price *price,
                              const json_t *attributes, struct error *err)
{
    struct instance_type type = {.provider = "aws"};

    memcpy(type.name, price->instance_type, sizeof type.name);
    aws_describe_type(source_text(attributes, "vcpu"), source_text(attributes, "memory"), &type);
    if (!price_batch_add(batch, price, TWIN_IS_AMBIGUOUS, err))
        return false;
    price_batch_add_type(batch, &type);
    return true;
}

static bool read_product(struct products_reader *reader, const json_t *product, struct error *err)
{
    struct price_batch *batch = reader->document.reading->batch;
    struct price_batch_tally *tally = &price_batch_facts(batch)->tally;
    const json_t *about = json_object_get(product, "product");
    const json_t *attributes = json_object_get(about, "attributes");
    json_t *terms = json_object_get(json_object_get(product, "terms"), "OnDemand");
    const char *region = reader->document.reading->scope.name, *text, *rate_code, *since;
    struct price price = {.provider = "aws", .kind = PRICE_ON_DEMAND, .currency = "USD"};

    tally->seen++;
    note_publication(batch, product);
    if (!aws_is_wanted(attributes, source_text(about, "productFamily"), region))
        return true;
    if (!terms) {
        tally->unpriced++;
        return true;
    }
    /* A price that is not valid yet is not what an hour costs. */
    if (!aws_term_price(terms, "USD", &text, &rate_code, &since) || !price_set(&price, text) ||
        !PRICE_WORD(price.region, region) ||
        !PRICE_WORD(price.instance_type, source_text(attributes, "instanceType")) ||
        !PRICE_WORD(price.reference, *rate_code ? rate_code : source_text(about, "sku")) ||
        (*since && !parse_time(since, &price.source_us)) ||
        price.source_us > reader->document.reading->now_us) {
        tally->malformed++;
        return true;
    }
    return add_product_price(batch, &price, attributes, err);
}

static bool unwrap_product(struct products_reader *reader, const struct split_element *element,
                           struct error *err)
{
    AUTO(json_decrefp) json_t *text = source_json(element->json, element->length, err);
    AUTO(json_decrefp) json_t *product = NULL;

    if (!text)
        return false;
    if (!json_is_string(text))
        return error_set(err, ERROR_UPSTREAM, NULL, "there is no text where one must be");
    product = source_json(json_string_value(text), json_string_length(text), err);
    return product && read_product(reader, product, err);
}

static bool read_format(struct products_reader *reader, const struct split_element *element,
                        struct error *err)
{
    char format[32];

    if (!pages_text(element, format, sizeof format, err))
        return false;
    reader->known_format = strcmp(format, "aws_v1") == 0;
    return true;
}

static bool read_token(struct products_reader *reader, const struct split_element *element,
                       struct error *err)
{
    if (reader->has_next)
        return error_set(err, ERROR_UPSTREAM, NULL, "a page has two tokens for the next");
    reader->has_next = true;
    return pages_text(element, reader->next, sizeof reader->next, err);
}

static enum split_verdict on_element(void *user, const struct split_element *element,
                                     struct error *err)
{
    bool ok = false;

    switch (element->path) {
    case PATH_PRODUCT:
        ok = unwrap_product(user, element, err);
        break;
    case PATH_TOKEN:
        ok = read_token(user, element, err);
        break;
    case PATH_FORMAT:
        ok = read_format(user, element, err);
        break;
    }
    return ok ? SPLIT_GO_ON : SPLIT_FAILED;
}

static const struct document_form products_form = {
    .size = sizeof(struct products_reader),
    .paths = products_paths,
    .element_max = PRODUCT_MAX,
    .element = on_element,
};

static void *open_products(const struct reading *reading, struct error *err)
{
    struct products_reader *reader;

    if (!check_products_reading(reading, err))
        return NULL;
    reader = document_open(&products_form, reading, err);
    if (reader)
        find_endpoint(reading->url, reader->endpoint, sizeof reader->endpoint);
    return reader;
}

static void close_products(void *user)
{
    struct products_reader *reader = user;

    freep(&reader->body);
    document_close(reader);
}

static bool products_ask(void *user, struct fetch_request *request, struct error *err)
{
    struct products_reader *reader = user;

    if (!document_again(&reader->document, &products_form, err))
        return false;
    reader->known_format = reader->has_next = false;
    reader->next[0] = '\0';
    freep(&reader->body);
    reader->body = make_products_body(reader);
    request->body = reader->body;
    request->credentials = reader->document.reading->credentials;
    snprintf(request->service, sizeof request->service, "pricing");
    memcpy(request->region, reader->endpoint, sizeof request->region);
    if (!fetch_url_add(request, reader->document.reading->url) || !fetch_url_add(request, "/") ||
        !fetch_header(request, "Content-Type: application/x-amz-json-1.1") ||
        !fetch_header(request, "X-Amz-Target: AWSPriceListService.GetProducts"))
        return error_set(err, ERROR_INVALID, NULL, "the URL is too long");
    return true;
}

static enum reading_state products_page(void *user, const struct fetch_response *response,
                                        struct error *err)
{
    struct products_reader *reader = user;

    (void)response;
    if (!splitter_end(reader->document.splitter, err))
        return READING_FAILED;
    if (!reader->known_format || splitter_oversized(reader->document.splitter) > 0) {
        error_set(
            err, ERROR_UPSTREAM, NULL,
            "the answer has another shape: no FormatVersion aws_v1, or a product that is too "
            "large");
        return READING_FAILED;
    }
    if (!reader->next[0])
        return READING_DONE;
    if (!pages_go_on(&reader->pages, reader->next, err))
        return READING_FAILED;
    memcpy(reader->token, reader->next, sizeof reader->token);
    return READING_ASKS;
}

static const struct reader_ops products_ops = {open_products, products_ask,   document_take,
                                               products_page, close_products, NULL};

const struct source aws_products = {
    .name = "aws-get-products",
    .title = "on demand (AWS GetProducts)",
    .provider = "aws",
    .url = "https://api.pricing.us-east-1.amazonaws.com",
    .needs = NEEDS_CREDENTIALS | NEEDS_REGIONS,
    .period_seconds = 24 * 3600,
    .max_bytes = 64 * 1024 * 1024,
    .read = &products_ops,
};
