/* The spot prices of AWS's own price page, one number a region. Which zone it is for, or which
 * mean of them it is, is documented nowhere. Tested by tests/pricing/feeds/aws/aws_pages_test.c.
 */
#include "common/cleanup.h"
#include "pricing/feeds/json_page.h"
#include "pricing/feeds/sources.h"

#define REGION_MAX (1024 * 1024) /* one region's element is about 70 kB */

enum { PATH_RATE, PATH_CURRENCY, PATH_REGION };
static const char *const spot_page_paths[] = {"config/rate", "config/currencies/*",
                                              "config/regions/*", NULL};

struct spot_page {
    struct document document;
    bool hourly, dollars;
};

static bool add_size(struct spot_page *page, const char *region, const json_t *size,
                     struct error *err)
{
    struct price_batch *batch = page->document.reading->batch;
    struct price_batch_tally *tally = &price_batch_facts(batch)->tally;
    const json_t *column;
    size_t index;

    json_array_foreach(json_object_get(size, "valueColumns"), index, column)
    {
        struct price price = {.provider = "aws", .kind = PRICE_SPOT, .currency = "USD"};
        const char *text = source_text(json_object_get(column, "prices"), "USD");

        if (strcmp(source_text(column, "name"), "linux") != 0)
            continue;
        tally->seen++;
        if (strcmp(text, "N/A*") == 0)
            tally->unpriced++;
        else if (!PRICE_WORD(price.region, region) ||
                 !PRICE_WORD(price.instance_type, source_text(size, "size")) ||
                 !price_set(&price, text))
            tally->malformed++;
        else if (!price_batch_add(batch, &price, TWIN_MAY_BE_EQUAL, err))
            return false;
    }
    return true;
}

static bool add_spot_page_region(struct spot_page *page, const json_t *region, struct error *err)
{
    const char *name = source_text(region, "region");
    const json_t *group, *size;
    size_t i, j;

    if (!*name || !json_is_array(json_object_get(region, "instanceTypes")))
        return error_set(err, ERROR_UPSTREAM, NULL, "a region has no name or no types");
    json_array_foreach(json_object_get(region, "instanceTypes"), i, group)
        json_array_foreach(json_object_get(group, "sizes"), j,
                           size) if (!add_size(page, name, size, err)) return false;
    return true;
}

static enum split_verdict take_spot_page_element(void *user, const struct split_element *element,
                                                 struct error *err)
{
    struct spot_page *page = user;
    AUTO(json_decrefp) json_t *json = source_json(element->json, element->length, err);

    if (!json)
        return SPLIT_FAILED;
    if (element->path == PATH_RATE)
        page->hourly = json_is_string(json) && strcmp(json_string_value(json), "perhr") == 0;
    if (element->path == PATH_CURRENCY && json_is_string(json))
        page->dollars = page->dollars || strcmp(json_string_value(json), "USD") == 0;
    if (element->path == PATH_REGION && !add_spot_page_region(page, json, err))
        return SPLIT_FAILED;
    return SPLIT_GO_ON;
}

static enum reading_state page_done(void *reader, const struct fetch_response *response,
                                    struct error *err)
{
    struct spot_page *page = reader;

    if (!splitter_end(page->document.splitter, err))
        return READING_FAILED;
    if (!page->hourly || !page->dollars || splitter_oversized(page->document.splitter) > 0) {
        error_set(err, ERROR_UPSTREAM, NULL,
                  "the feed has an unexpected format: prices are not by the hour in USD, or a "
                  "region is "
                  "too large");
        return READING_FAILED;
    }
    /* Nothing inside tells when it was made. */
    price_batch_facts(page->document.reading->batch)->source_us = response->last_modified_us;
    return READING_DONE;
}

static const struct document_form spot_page_form = {.size = sizeof(struct spot_page),
                                                    .paths = spot_page_paths,
                                                    .element_max = REGION_MAX,
                                                    .element = take_spot_page_element};
static const struct reader_ops spot_page_ops = {NULL,      source_ask_once, document_take,
                                                page_done, document_close,  &spot_page_form};

static const char *const sentinels[] = {"m5.large", "c5.large", NULL};

const struct source aws_spot_page = {
    .name = "aws-spot-page",
    .title = "region spot (AWS page)",
    .provider = "aws",
    .url = "https://website.spot.ec2.aws.a2z.com/spot.json",
    .on = true,
    .has_spot = true,
    .period_seconds = 1800,
    .pace_seconds = 3600 + 1800 + 180, /* rewritten at least hourly, and read with jitter */
    .max_bytes = 64 * 1024 * 1024,
    .sentinels = sentinels,
    .min_regions = 30,
    .read = &spot_page_ops,
};
