/* Google's own price list: tens of thousands of entries, some thousands a page. Only the entries
 * for the parts of machine types are wanted. */
#include "common/cleanup.h"

#include "common/limits.h"
#include "common/memory.h"
#include "pricing/feeds/gcp/gcp_rates.h"
#include "pricing/feeds/gcp/gcp_types.h"
#include "pricing/feeds/json_page.h"
#include "pricing/feeds/pages.h"
#include "pricing/feeds/sources.h"
#include "pricing/parse_time.h"

#define SKU_MAX 65536
#define SERVICE "/v1/services/6F81-5844-456A/skus" /* Compute Engine */

enum { PATH_SKU, PATH_NEXT, PATH_ERROR };
static const char *const paths[] = {"skus/*", "nextPageToken", "error", NULL};

struct catalog {
    struct document document;
    struct gcp_rates *rates;
    bool began;         /* this page had something in it */
    char *token, *next; /* of this page, and of the one behind it; NULL for none */
    struct pages pages;
};

/* "units" are a string, or left out for none; "nanos" are a number, or left out. */
static bool read_money(const json_t *money, int dollars_max, long long *ret_nanos)
{
    const json_t *units = json_object_get(money, "units");
    const json_t *nanos = json_object_get(money, "nanos");
    const char *text = units ? json_string_value(units) : "0";
    long long whole = 0, part = nanos ? json_integer_value(nanos) : 0;

    if (!text || !*text || strlen(text) > 6 || (nanos && !json_is_integer(nanos)))
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        whole = whole * 10 + (*text - '0');
    }
    if (part < 0 || part >= GCP_NANOS)
        return false;
    *ret_nanos = whole * GCP_NANOS + part;
    return *ret_nanos > 0 && *ret_nanos <= dollars_max * GCP_NANOS;
}

static bool is_number_or_absent(const json_t *object, const char *name, double wanted)
{
    const json_t *value = json_object_get(object, name);

    return !value || (json_is_number(value) && json_number_value(value) == wanted);
}

/* One price by its time in dollars, the same for any amount, and no other before or after it. */
static bool read_rate(const json_t *sku, const struct gcp_component *component,
                      struct gcp_rate *ret_rate)
{
    const json_t *infos = json_object_get(sku, "pricingInfo"), *info = json_array_get(infos, 0);
    const json_t *expression = json_object_get(info, "pricingExpression");
    const json_t *tiers = json_object_get(expression, "tieredRates");
    const json_t *tier = json_array_get(tiers, 0), *money = json_object_get(tier, "unitPrice");

    if (json_array_size(infos) != 1 || json_array_size(tiers) != 1 ||
        !is_number_or_absent(tier, "startUsageAmount", 0) ||
        !is_number_or_absent(info, "currencyConversionRate", 1) ||
        !gcp_unit(component, source_text(expression, "usageUnit"), &ret_rate->monthly) ||
        strcmp(source_text(money, "currencyCode"), "USD") != 0 ||
        !PRICE_WORD(ret_rate->sku, source_text(sku, "skuId")))
        return false;
    if (!parse_time(source_text(info, "effectiveTime"), &ret_rate->since_us))
        ret_rate->since_us = 0;
    return read_money(money, gcp_dollars_max(component), &ret_rate->nanos);
}

/* The description says what it is, and three words of its category must say the same. */
static bool is_in_category(const json_t *sku, const struct gcp_component *component)
{
    const json_t *category = json_object_get(sku, "category");
    const char *usage = component->years == 1   ? "Commit1Yr"
                        : component->years == 3 ? "Commit3Yr"
                        : component->spot       ? "Preemptible"
                                                : "OnDemand";

    return strcmp(source_text(category, "resourceFamily"), gcp_resource_family(component)) == 0 &&
           strcmp(source_text(category, "resourceGroup"), gcp_group(component)) == 0 &&
           strcmp(source_text(category, "usageType"), usage) == 0;
}

static bool add_sku(struct catalog *catalog, const json_t *sku,
                    const struct gcp_component *component, struct error *err)
{
    struct price_batch_tally *tally = &price_batch_facts(catalog->document.reading->batch)->tally;
    const json_t *regions = json_object_get(sku, "serviceRegions");
    struct gcp_rate rate = {.nanos = 0};
    char region[REGION_SIZE];

    if (!is_in_category(sku, component) || json_array_size(regions) == 0) {
        tally->malformed++;
        return true;
    }
    /* What cannot be read is not passed over: who knows what the other one is worth then. */
    if (!read_rate(sku, component, &rate)) {
        tally->malformed++;
        rate.nanos = 0;
    }
    for (size_t i = 0; i < json_array_size(regions); i++) {
        const char *name = json_string_value(json_array_get(regions, i));

        if (!name || !gcp_is_region(name) || !PRICE_WORD(region, name))
            tally->malformed++;
        else if (!gcp_rates_add(catalog->rates, region, component, &rate, err))
            return false;
    }
    return true;
}

static bool take_sku(struct catalog *catalog, const struct split_element *element,
                     struct error *err)
{
    AUTO(json_decrefp) json_t *sku = NULL;
    struct gcp_component component;

    price_batch_facts(catalog->document.reading->batch)->tally.seen++;
    if (!gcp_component_may_be(element->json, element->length))
        return true;
    sku = source_json(element->json, element->length, err);
    if (!sku)
        return false;
    return !gcp_component_read(source_text(sku, "description"), &component) ||
           add_sku(catalog, sku, &component, err);
}

static bool take_token(struct catalog *catalog, const struct split_element *element,
                       struct error *err)
{
    AUTO(json_decrefp) json_t *json = source_json(element->json, element->length, err);

    if (!json)
        return false;
    if (!json_is_string(json) || catalog->next)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the feed has an unexpected format: its nextPageToken is no text");
    catalog->next = xstrdup(json_string_value(json));
    return true;
}

static enum split_verdict take_element(void *user, const struct split_element *element,
                                       struct error *err)
{
    struct catalog *catalog = user;
    bool ok;

    catalog->began = true;
    if (element->path == PATH_SKU)
        ok = take_sku(catalog, element, err);
    else if (element->path == PATH_NEXT)
        ok = take_token(catalog, element, err);
    else
        ok = error_set(err, ERROR_UPSTREAM, NULL, "the page is an error instead of prices");
    return ok ? SPLIT_GO_ON : SPLIT_FAILED;
}

static const struct document_form form = {.size = sizeof(struct catalog),
                                          .paths = paths,
                                          .element_max = SKU_MAX,
                                          .element = take_element};

static void catalog_close(void *reader)
{
    struct catalog *catalog = reader;

    if (catalog) {
        gcp_rates_free(catalog->rates);
        free(catalog->token);
        free(catalog->next);
    }
    document_close(reader);
}

static void *catalog_open(const struct reading *reading, struct error *err)
{
    struct catalog *catalog = document_open(&form, reading, err);

    if (catalog)
        catalog->rates = gcp_rates_new();
    return catalog;
}

static bool catalog_ask(void *reader, struct fetch_request *request, struct error *err)
{
    const struct catalog *catalog = reader;
    const struct reading *reading = catalog->document.reading;

    if (!reading->key[0])
        return error_set(err, ERROR_INVALID, "key", "is needed for this feed");
    request->url[0] = '\0';
    if (!fetch_url_add(request, reading->url) ||
        !fetch_url_add(request, SERVICE "?currencyCode=USD&pageSize=5000"))
        return error_set(err, ERROR_INVALID, "url", "is too long");
    if (catalog->token &&
        (!fetch_url_add(request, "&pageToken=") || !fetch_url_value(request, catalog->token)))
        return error_set(err, ERROR_UPSTREAM, NULL, "the page's token is too long");
    /* In the URL it would be in every log on the way. */
    return fetch_header(request, "X-Goog-Api-Key: %s", reading->key) ||
           error_set(err, ERROR_INVALID, "key", "is too long");
}

static enum reading_state catalog_finish(const struct catalog *catalog, struct error *err)
{
    struct price_batch *batch = catalog->document.reading->batch;

    if (!gcp_rates_price(catalog->rates, batch, err))
        return READING_FAILED;
    if (price_batch_count(batch) > 0)
        return READING_DONE;
    error_set(err, ERROR_UPSTREAM, NULL,
              "the feed has an unexpected format: it has no complete price of any machine type");
    return READING_FAILED;
}

/* Whether the token of this page leads to a page that was not there before. */
static bool leads_on(struct catalog *catalog, struct error *err)
{
    if (!pages_go_on(&catalog->pages, catalog->next, err))
        return false;
    free(catalog->token);
    catalog->token = take(&catalog->next);
    catalog->began = false;
    return document_again(&catalog->document, &form, err);
}

static enum reading_state catalog_page(void *reader, const struct fetch_response *response,
                                       struct error *err)
{
    struct catalog *catalog = reader;

    (void)response;
    if (!splitter_end(catalog->document.splitter, err))
        return READING_FAILED;
    if (!catalog->began || splitter_oversized(catalog->document.splitter) > 0) {
        error_set(err, ERROR_UPSTREAM, NULL,
                  "the feed has an unexpected format: a page is empty, or an entry is too large");
        return READING_FAILED;
    }
    if (!catalog->next || !*catalog->next)
        return catalog_finish(catalog, err);
    return leads_on(catalog, err) ? READING_ASKS : READING_FAILED;
}

static const struct reader_ops catalog_ops = {catalog_open, catalog_ask,   document_take,
                                              catalog_page, catalog_close, NULL};

const struct source gcp_catalog = {
    .name = "gcp-billing-catalog",
    .title = "region list price, computed from its parts (Google's billing catalog)",
    .provider = "gcp",
    .url = "https://cloudbilling.googleapis.com",
    .on = true,
    .needs = NEEDS_KEY,
    .has_spot = true,
    .period_seconds = 24 * 3600,
    .pace_seconds = 27 * 3600, /* Google changes spot prices at most once a month */
    .max_bytes = 64 * 1024 * 1024,
    .sentinels = gcp_sentinels,
    .min_regions = 20,
    .read = &catalog_ops,
};
