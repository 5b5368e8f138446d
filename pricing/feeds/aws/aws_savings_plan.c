/* AWS's savings plans: a file of a region has the plans that are sold, and for each the rates of
 * what it may be spent on, of all services. An index names the newest version, which is read
 * once. Plans and rates are two sections that are joined by the plan's SKU, in whichever order
 * they come; nine rates in ten are recognised by their bytes alone as none of plain Linux. */
#include "common/cleanup.h"
#include "common/memory.h"
#include "pricing/feeds/aws/aws_commitment.h"
#include "pricing/feeds/aws/aws_offer.h"
#include "pricing/feeds/aws/aws_selection.h"
#include "pricing/feeds/sources.h"
#include "pricing/parse_time.h"

#define PLANS_MAX 16384 /* a region has six of all types, and six of each family */

enum { PATH_PUBLISHED, PATH_PLAN, PATH_RATE };
static const char *const plan_paths[] = {"publicationDate", "products/*",
                                         "terms/savingsPlan/*/rates/*", NULL};
static const char *const index_paths[] = {"regions/*", NULL};

struct plan {
    char sku[SKU_SIZE];
    bool listed;          /* its product was there */
    bool wanted;          /* it is of a kind that we know: */
    enum price_kind kind; /* this one */
};

/* What an hour of a type costs under a plan. */
struct rate {
    size_t plan;
    bool metal; /* dedicated: only where the type has no other rate */
    char type[INSTANCE_SIZE], sku[SKU_SIZE];
    long long nanos;
};

struct plans {
    struct document document; /* first the index, then the file */
    bool indexed;             /* the index was read, the file comes */
    /* Its prices hold since then. How old they are is another question: the index said that this
     * version is the current one. */
    long long published_us;
    char path[95]; /* of the file, and so the version */
    struct plan *plans;
    size_t plan_count, plan_room;
    size_t last;        /* the plan that was looked for before: rates of one follow each other */
    struct rate *rates; /* those that wait: for their plan, or for one that is not dedicated */
    size_t rate_count, rate_room;
};

static struct price_batch_facts *facts_of(const struct plans *plans)
{
    return price_batch_facts(plans->document.reading->batch);
}

static enum split_verdict take_index(void *user, const struct split_element *element,
                                     struct error *err)
{
    struct plans *plans = user;
    const char *region = plans->document.reading->scope.name;
    AUTO(json_decrefp) json_t *json = source_json(element->json, element->length, err);

    if (!json)
        return SPLIT_FAILED;
    if (strcmp(source_text(json, "regionCode"), region) != 0)
        return SPLIT_GO_ON;
    if (PRICE_WORD(plans->path, source_text(json, "versionUrl")) && plans->path[0] == '/')
        return SPLIT_GO_ON;
    error_set(err, ERROR_UPSTREAM, NULL,
              "the feed has an unexpected format: the index tells no path for %.40s", region);
    return SPLIT_FAILED;
}

static bool add_plan(struct plans *plans, const char *sku, struct error *err)
{
    if (plans->plan_count == PLANS_MAX)
        return error_set(err, ERROR_UPSTREAM, NULL, "there are more than %d plans", PLANS_MAX);
    plans->plans =
        xgrow(plans->plans, plans->plan_count, &plans->plan_room, sizeof *plans->plans);
    plans->plans[plans->plan_count] = (struct plan){.listed = false};
    snprintf(plans->plans[plans->plan_count].sku, SKU_SIZE, "%s", sku);
    plans->last = plans->plan_count++;
    return true;
}

/* Makes the plan of this SKU the last one, whether it is known or not. */
static bool find_plan(struct plans *plans, const char *sku, struct error *err)
{
    if (plans->last < plans->plan_count && strcmp(plans->plans[plans->last].sku, sku) == 0)
        return true;
    for (size_t i = 0; i < plans->plan_count; i++)
        if (strcmp(plans->plans[i].sku, sku) == 0) {
            plans->last = i;
            return true;
        }
    return add_plan(plans, sku, err);
}

static bool take_plan(struct plans *plans, const struct split_element *element, struct error *err)
{
    AUTO(json_decrefp) json_t *json = source_json(element->json, element->length, err);
    const json_t *attributes = json_object_get(json, "attributes");
    const struct aws_term_words words = {.length = source_text(attributes, "purchaseTerm"),
                                         .class = source_text(json, "productFamily"),
                                         .option = source_text(attributes, "purchaseOption")};
    char sku[SKU_SIZE];
    struct plan *plan;

    if (!json)
        return false;
    if (!PRICE_WORD(sku, source_text(json, "sku")))
        return facts_of(plans)->tally.malformed++, true;
    if (!find_plan(plans, sku, err))
        return false;
    plan = &plans->plans[plans->last];
    if (plan->listed)
        return error_set(err, ERROR_UPSTREAM, NULL, "the plan %s comes twice", sku);
    plan->listed = true;
    plan->wanted = aws_plan_kind(&words, &plan->kind);
    return true;
}

/* False for most rates that are not wanted, by their bytes alone; true where these hold an
 * escape, which could spell the words in another way. */
static bool may_be_wanted_plan(const char *json, size_t length)
{
    return memchr(json, '\\', length) ||
           (offer_has(json, length, "\"RunInstances\"") &&
            offer_has(json, length, "\"AmazonEC2\"") &&
            (offer_has(json, length, "BoxUsage:") ||
             (offer_has(json, length, "DedicatedUsage:") && offer_has(json, length, ".metal"))));
}

/* What a rate says of the product that it is for: only what plain Linux differs in from others.
 */
static int plan_wants(const json_t *json, const char *usage, const char *region)
{
    bool dedicated = strstr(usage, "DedicatedUsage:") != NULL;
    const struct aws_row row = {
        .family = strstr(usage, ".metal") ? "Compute Instance (bare metal)" : "Compute Instance",
        .operating_system = "Linux",
        .tenancy = dedicated ? "Dedicated" : "Shared",
        .software = "NA",
        .capacity = "Used",
        .license = "No License required",
        .operation = source_text(json, "discountedOperation"),
        .usage = usage,
        .location_type = "AWS Region",
        .region = source_text(json, "discountedRegionCode"),
    };

    return strcmp(source_text(json, "discountedServiceCode"), "AmazonEC2") == 0
               ? offer_wants(&row, region)
               : 0;
}

static bool keep_rate(struct plans *plans, const struct rate *rate, struct error *err)
{
    if (plans->rate_count == PRICE_BATCH_PRICES_MAX)
        return error_set(err, ERROR_UPSTREAM, NULL, "there are more than %d rates",
                         PRICE_BATCH_PRICES_MAX);
    plans->rates =
        xgrow(plans->rates, plans->rate_count, &plans->rate_room, sizeof *plans->rates);
    plans->rates[plans->rate_count++] = *rate;
    return true;
}

/* Fills in all but the plan; false for what cannot be read. */
static bool read_rate(const json_t *json, const char *usage, const char *currency,
                      struct rate *rate)
{
    const json_t *money = json_object_get(json, "discountedRate");
    const char *type = strchr(usage, ':') + 1;
    const char *named = source_text(json, "discountedInstanceType");

    return (!*named || strcmp(named, type) == 0) && PRICE_WORD(rate->type, type) &&
           PRICE_WORD(rate->sku, source_text(json, "discountedSku")) &&
           strcmp(source_text(json, "unit"), "Hrs") == 0 &&
           strcmp(source_text(money, "currency"), currency) == 0 &&
           price_read_nanos(source_text(money, "price"), &rate->nanos);
}

/* The plan is what stands before the point in "<plan>.<product>". */
static bool plan_of(const json_t *json, char ret_sku[SKU_SIZE])
{
    const char *code = source_text(json, "rateCode");
    size_t length = strcspn(code, ".");

    if (length == 0 || length >= SKU_SIZE || !code[length])
        return false;
    snprintf(ret_sku, SKU_SIZE, "%.*s", (int)length, code);
    return true;
}

static bool add_rate(const struct plans *plans, const struct rate *rate, struct error *err)
{
    struct price_batch *batch = plans->document.reading->batch;
    const char *region = plans->document.reading->scope.name;
    const struct plan *plan = &plans->plans[rate->plan];
    struct price price = {
        .provider = "aws", .kind = plan->kind, .source_us = plans->published_us};
    size_t place;

    if (plan->listed && !plan->wanted)
        return true;
    if (!plan->listed || !PRICE_WORD(price.region, region) ||
        !PRICE_WORD(price.currency, aws_currency_of(region)) ||
        !PRICE_WORD(price.instance_type, rate->type) || !PRICE_WORD(price.reference, rate->sku) ||
        !price_set_plan(&price, rate->nanos))
        return facts_of(plans)->tally.malformed++, true;
    if (rate->metal && price_batch_find(batch, &price, &place))
        return true;
    return price_batch_add(batch, &price, TWIN_IS_AMBIGUOUS, err);
}

static bool take_rate(struct plans *plans, const struct split_element *element, struct error *err)
{
    const char *region = plans->document.reading->scope.name;
    AUTO(json_decrefp) json_t *json = NULL;
    struct rate rate = {.plan = 0};
    char sku[SKU_SIZE];
    const char *usage;
    int wanted;

    if (!may_be_wanted_plan(element->json, element->length))
        return true;
    json = source_json(element->json, element->length, err);
    if (!json)
        return false;
    usage = source_text(json, "discountedUsageType");
    wanted = plan_wants(json, usage, region);
    if (wanted == 0)
        return true;
    facts_of(plans)->tally.seen++;
    rate.metal = wanted == 2;
    if (!plan_of(json, sku) || !read_rate(json, usage, aws_currency_of(region), &rate))
        return facts_of(plans)->tally.malformed++, true;
    if (!find_plan(plans, sku, err))
        return false;
    rate.plan = plans->last;
    if (!rate.metal && plans->plans[rate.plan].listed)
        return add_rate(plans, &rate, err);
    return keep_rate(plans, &rate, err);
}

static enum split_verdict take_plan_element(void *user, const struct split_element *element,
                                            struct error *err)
{
    struct plans *plans = user;
    char text[64];
    bool ok = true;

    switch (element->path) {
    case PATH_PUBLISHED:
        if (element->length > 2 && element->length < sizeof text) {
            snprintf(text, sizeof text, "%.*s", (int)element->length - 2, element->json + 1);
            if (!parse_time(text, &plans->published_us))
                plans->published_us = 0;
        }
        break;
    case PATH_PLAN:
        ok = take_plan(plans, element, err);
        break;
    default:
        ok = take_rate(plans, element, err);
    }
    return ok ? SPLIT_GO_ON : SPLIT_FAILED;
}

static bool add_rates(const struct plans *plans, bool metal, struct error *err)
{
    for (size_t i = 0; i < plans->rate_count; i++)
        if (plans->rates[i].metal == metal && !add_rate(plans, &plans->rates[i], err))
            return false;
    return true;
}

static void plans_close(void *reader)
{
    struct plans *plans = reader;

    if (plans) {
        freep(&plans->plans);
        freep(&plans->rates);
    }
    document_close(reader);
}

static bool plans_ask(void *reader, struct fetch_request *request, struct error *err)
{
    const struct plans *plans = reader;

    request->url[0] = '\0';
    return (fetch_url_add(request, plans->document.reading->url) &&
            fetch_url_add(request, plans->indexed ? plans->path
                                                  : "/savingsPlan/v1.0/aws/AWSComputeSavingsPlan"
                                                    "/current/region_index.json")) ||
           error_set(err, ERROR_INVALID, "url", "is too long");
}

static enum reading_state leave_index(struct plans *plans, struct error *err)
{
    static const struct document_form plan_form = {
        .paths = plan_paths, .element_max = OFFER_ELEMENT_MAX, .element = take_plan_element};
    const struct reading *reading = plans->document.reading;
    struct price_batch_facts *facts = facts_of(plans);

    if (!plans->path[0]) {
        error_set(err, ERROR_UPSTREAM, NULL, "the index has no region %.40s",
                  reading->scope.name);
        return READING_FAILED;
    }
    plans->indexed = true;
    snprintf(facts->mark, sizeof facts->mark, "%s", plans->path);
    if (strcmp(reading->mark, facts->mark) == 0)
        return READING_UNCHANGED;
    return document_again(&plans->document, &plan_form, err) ? READING_ASKS : READING_FAILED;
}

static enum reading_state plans_page(void *reader, const struct fetch_response *response,
                                     struct error *err)
{
    struct plans *plans = reader;
    const struct splitter *splitter = plans->document.splitter;

    (void)response;
    if (!splitter_end(splitter, err))
        return READING_FAILED;
    if (!plans->indexed)
        return leave_index(plans, err);
    if (splitter_oversized(splitter) > 0) {
        error_set(err, ERROR_UPSTREAM, NULL, "a plan or a rate is larger than %d bytes",
                  OFFER_ELEMENT_MAX);
        return READING_FAILED;
    }
    if (!add_rates(plans, false, err) || !add_rates(plans, true, err))
        return READING_FAILED;
    if (price_batch_count(plans->document.reading->batch) > 0)
        return READING_DONE;
    error_set(err, ERROR_UPSTREAM, NULL, "the file has no rate that passes for Linux");
    return READING_FAILED;
}

static const struct document_form plan_form = {.size = sizeof(struct plans),
                                               .paths = index_paths,
                                               .element_max = OFFER_ELEMENT_MAX,
                                               .element = take_index};
static const struct reader_ops savings_plan_ops = {NULL,       plans_ask,   document_take,
                                                   plans_page, plans_close, &plan_form};

const struct source aws_savings_plan = {
    .name = "aws-savings-plans",
    .title = "region savings plans (AWS price list)",
    .provider = "aws",
    .url = OFFER_URL,
    .needs = NEEDS_REGIONS,
    .period_seconds = OFFER_PERIOD_SECONDS,
    .max_bytes = OFFER_MAX_BYTES,
    .read = &savings_plan_ops,
};
