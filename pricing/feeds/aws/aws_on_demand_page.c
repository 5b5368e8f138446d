/* The on-demand prices behind AWS's own price page: a page for each location, and Linux with
 * nothing pre-installed has one of its own. Tested by tests/pricing/feeds/aws/aws_pages_test.c.
 */
#include "common/cleanup.h"
#include "pricing/feeds/json_page.h"
#include "pricing/feeds/sources.h"
#include "pricing/parse_time.h"

#define ROW_MAX 65536
#define FOLDER "/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2-ondemand-without-sec-sel"

enum { PATH_MANIFEST, PATH_ROW, PATH_LISTED };
static const char *const on_demand_paths[] = {"manifest", "regions/*/*", "sets/*/*", NULL};

struct map {
    struct document document;
    bool dollars;
    long long listed, rows; /* rows that the page lists, and those that it has */
};

static void add_type(struct price_batch *batch, const json_t *row)
{
    struct instance_type type = {.provider = "aws",
                                 .vcpus = source_count(source_text(row, "vCPU")),
                                 .memory_gib = source_gib(source_text(row, "Memory"))};

    if (PRICE_WORD(type.name, source_text(row, "Instance Type")))
        price_batch_add_type(batch, &type);
}

static bool add_row(struct map *map, const struct split_element *element, const json_t *row,
                    struct error *err)
{
    const struct scope *scope = &map->document.reading->scope;
    struct price_batch *batch = map->document.reading->batch;
    struct price_batch_tally *tally = &price_batch_facts(batch)->tally;
    struct price price = {.provider = "aws", .kind = PRICE_ON_DEMAND, .currency = "USD"};

    tally->seen++;
    map->rows++;
    if (strcmp(element->outer, scope->address) != 0)
        return error_set(err, ERROR_UPSTREAM, NULL, "it is about %.60s, not about %.60s",
                         element->outer, scope->address);
    if (strcmp(source_text(row, "Operating System"), "Linux") != 0 ||
        strcmp(source_text(row, "Pre Installed S/W"), "NA") != 0 ||
        strcmp(source_text(row, "License Model"), "No License required") != 0)
        return true;
    if (!PRICE_WORD(price.region, scope->name) ||
        !PRICE_WORD(price.instance_type, source_text(row, "Instance Type")) ||
        !price_set(&price, source_text(row, "price"))) {
        tally->malformed++;
        return true;
    }
    if (!PRICE_WORD(price.reference, source_text(row, "rateCode")))
        price.reference[0] = '\0';
    if (!price_batch_add(batch, &price, TWIN_IS_AMBIGUOUS, err))
        return false;
    add_type(batch, row);
    return true;
}

static void take_manifest(struct map *map, const json_t *manifest)
{
    struct price_batch_facts *facts = price_batch_facts(map->document.reading->batch);

    map->dollars = strcmp(source_text(manifest, "currencyCode"), "USD") == 0;
    if (!parse_time(source_text(manifest, "hawkFilePublicationDate"), &facts->source_us))
        facts->source_us = 0;
}

static enum split_verdict take_on_demand_element(void *user, const struct split_element *element,
                                                 struct error *err)
{
    struct map *map = user;
    AUTO(json_decrefp) json_t *json = NULL;

    if (element->path == PATH_LISTED) {
        map->listed++;
        return SPLIT_GO_ON;
    }
    json = source_json(element->json, element->length, err);
    if (!json)
        return SPLIT_FAILED;
    if (element->path == PATH_MANIFEST)
        take_manifest(map, json);
    else if (!add_row(map, element, json, err))
        return SPLIT_FAILED;
    return SPLIT_GO_ON;
}

static bool map_ask(void *reader, struct fetch_request *request, struct error *err)
{
    const struct reading *reading = ((struct document *)reader)->reading;

    if (!source_ask_once(reader, request, err))
        return false;
    return (fetch_url_add(request, FOLDER "/") &&
            fetch_url_value(request, reading->scope.address) &&
            fetch_url_add(request, "/Linux/index.json")) ||
           error_set(err, ERROR_INVALID, "url", "is too long");
}

static enum reading_state map_done(void *reader, const struct fetch_response *response,
                                   struct error *err)
{
    struct map *map = reader;

    (void)response;
    if (!splitter_end(map->document.splitter, err))
        return READING_FAILED;
    if (!map->dollars)
        error_set(err, ERROR_UPSTREAM, NULL,
                  "the feed has an unexpected format: it is not in USD");
    else if (map->listed > 0 && map->listed != map->rows)
        error_set(err, ERROR_UPSTREAM, NULL, "it lists %lld rows and has %lld", map->listed,
                  map->rows);
    else
        return READING_DONE;
    return READING_FAILED;
}

/* The locations, from the page that names them all. */

static const char *const location_paths[] = {"*", NULL};

static enum split_verdict take_location(void *user, const struct split_element *element,
                                        struct error *err)
{
    struct scopes *scopes = ((struct document *)user)->reading->scopes;
    struct scope *scope = &scopes->list[scopes->count];
    AUTO(json_decrefp) json_t *json = source_json(element->json, element->length, err);
    const char *kind = json ? source_text(json, "type") : "";

    if (!json)
        return SPLIT_FAILED;
    if (strcmp(kind, "AWS Region") != 0 && strcmp(kind, "AWS Local Zone") != 0)
        return SPLIT_GO_ON;
    if (scopes->count == SCOPES_MAX) {
        error_set(err, ERROR_UPSTREAM, NULL, "there are more than %d locations", SCOPES_MAX);
        return SPLIT_FAILED;
    }
    *scope = (struct scope){.minor = strcmp(kind, "AWS Region") != 0};
    /* The key is what pages are called by; the label is something else. */
    scopes->count += PRICE_WORD(scope->name, source_text(json, "code")) &&
                     PRICE_WORD(scope->address, element->key);
    return SPLIT_GO_ON;
}

static bool locations_ask(void *reader, struct fetch_request *request, struct error *err)
{
    if (!source_ask_once(reader, request, err))
        return false;
    request->etag[0] = request->last_modified[0] = '\0'; /* those are of a map */
    return fetch_url_add(request, "/locations/1.0/aws/current/locations.json") ||
           error_set(err, ERROR_INVALID, "url", "is too long");
}

static enum reading_state locations_done(void *reader, const struct fetch_response *response,
                                         struct error *err)
{
    struct document *document = reader;

    (void)response;
    if (!splitter_end(document->splitter, err))
        return READING_FAILED;
    if (document->reading->scopes->count > 0)
        return READING_DONE;
    error_set(err, ERROR_UPSTREAM, NULL, "the feed has an unexpected format: it names no region");
    return READING_FAILED;
}

static const struct document_form locations_form = {.size = sizeof(struct document),
                                                    .paths = location_paths,
                                                    .element_max = ROW_MAX,
                                                    .element = take_location};
static const struct document_form map_form = {.size = sizeof(struct map),
                                              .paths = on_demand_paths,
                                              .element_max = ROW_MAX,
                                              .element = take_on_demand_element};
static const struct reader_ops list_ops = {NULL,           locations_ask,  document_take,
                                           locations_done, document_close, &locations_form};
static const struct reader_ops on_demand_page_ops = {NULL,     map_ask,        document_take,
                                                     map_done, document_close, &map_form};

const struct source aws_on_demand_page = {
    .name = "aws-on-demand-page",
    .title = "region on demand (AWS page)",
    .provider = "aws",
    .url = "https://b0.p.awsstatic.com",
    .on = true,
    .period_seconds = 24 * 3600,
    .max_bytes = 64 * 1024 * 1024,
    .list = &list_ops,
    .read = &on_demand_page_ops,
};
