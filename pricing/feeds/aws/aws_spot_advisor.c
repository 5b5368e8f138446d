/* How often spot instances were interrupted in the last thirty days, in bands. It also tells what
 * spot saves, and no price is ever made of that.
 * Tested by tests/pricing/feeds/aws/aws_pages_test.c. */
#include "common/cleanup.h"
#include "pricing/feeds/json_page.h"
#include "pricing/feeds/sources.h"

#define REGION_MAX (1024 * 1024)
#define BANDS_MAX 16

enum { PATH_TYPE, PATH_BAND, PATH_REGION };
static const char *const advisor_paths[] = {"instance_types/*", "ranges/*", "spot_advisor/*",
                                            NULL};

struct advisor {
    struct document document;
    char bands[BANDS_MAX][16]; /* by their index; "" where there is none */
};

static void add_advised_type(struct advisor *advisor, const char *name, const json_t *json)
{
    struct instance_type type = {.provider = "aws",
                                 .vcpus = json_number_value(json_object_get(json, "cores")),
                                 .memory_gib =
                                     json_number_value(json_object_get(json, "ram_gb"))};

    if (PRICE_WORD(type.name, name) && type.vcpus >= 0 && type.memory_gib >= 0)
        price_batch_add_type(advisor->document.reading->batch, &type);
}

static bool add_band(struct advisor *advisor, const json_t *json, struct error *err)
{
    json_int_t index = json_is_integer(json_object_get(json, "index"))
                           ? json_integer_value(json_object_get(json, "index"))
                           : -1;

    if (index < 0 || index >= BANDS_MAX ||
        !PRICE_WORD(advisor->bands[index], source_text(json, "label")))
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the feed has an unexpected format: a band is odd");
    return true;
}

/* The bands may come later: until the end each holds its index. */
static void add_region(struct advisor *advisor, const char *region, const json_t *json)
{
    struct price_batch *batch = advisor->document.reading->batch;
    const json_t *row;
    const char *name;

    json_object_foreach(json_object_get(json, "Linux"), name, row)
    {
        struct interruption interruption = {.provider = "aws"};
        const json_t *band = json_object_get(row, "r");

        price_batch_facts(batch)->tally.seen++;
        if (!PRICE_WORD(interruption.region, region) ||
            !PRICE_WORD(interruption.instance_type, name) || !json_is_integer(band) ||
            json_integer_value(band) < 0 || json_integer_value(band) >= BANDS_MAX) {
            price_batch_facts(batch)->tally.malformed++;
            continue;
        }
        interruption.band[0] = (char)json_integer_value(band);
        price_batch_add_interruption(batch, &interruption);
    }
}

static enum split_verdict take_advisor_element(void *user, const struct split_element *element,
                                               struct error *err)
{
    struct advisor *advisor = user;
    AUTO(json_decrefp) json_t *json = source_json(element->json, element->length, err);
    bool ok = json != NULL;

    if (ok && element->path == PATH_TYPE)
        add_advised_type(advisor, element->key, json);
    if (ok && element->path == PATH_BAND)
        ok = add_band(advisor, json, err);
    if (ok && element->path == PATH_REGION)
        add_region(advisor, element->key, json);
    return ok ? SPLIT_GO_ON : SPLIT_FAILED;
}

static enum reading_state advisor_done(void *reader, const struct fetch_response *response,
                                       struct error *err)
{
    struct advisor *advisor = reader;
    struct price_batch *batch = advisor->document.reading->batch;

    if (!splitter_end(advisor->document.splitter, err))
        return READING_FAILED;
    for (size_t i = 0; i < price_batch_interruption_count(batch); i++) {
        const struct interruption *interruption = price_batch_interruption(batch, i);
        const char *band = advisor->bands[(unsigned char)interruption->band[0]];

        if (!*band) {
            error_set(err, ERROR_UPSTREAM, NULL,
                      "the feed has an unexpected format: a band is not among the ranges");
            return READING_FAILED;
        }
        price_batch_name_band(batch, i, band);
    }
    price_batch_facts(batch)->source_us = response->last_modified_us;
    return READING_DONE;
}

static const struct document_form advisor_form = {.size = sizeof(struct advisor),
                                                  .paths = advisor_paths,
                                                  .element_max = REGION_MAX,
                                                  .element = take_advisor_element};
static const struct reader_ops spot_advisor_ops = {NULL,         source_ask_once, document_take,
                                                   advisor_done, document_close,  &advisor_form};

const struct source aws_spot_advisor = {
    .name = "aws-spot-advisor",
    .title = "how often spot was interrupted, 30 days (AWS Spot Advisor)",
    .provider = "aws",
    .url = "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json",
    .on = true,
    .period_seconds = 24 * 3600,
    .max_bytes = 64 * 1024 * 1024,
    .read = &spot_advisor_ops,
};
