#include "pricing/feeds/aws/aws_offer.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "pricing/feeds/aws/aws_selection.h"

const char *const offer_index_paths[] = {"regions/*", NULL};

enum split_verdict offer_take_index(void *user, const struct split_element *element,
                                    struct error *err)
{
    struct offer *offer = user;
    AUTO(json_decrefp) json_t *json = NULL;

    if (strcmp(element->key, offer->document.reading->scope.name) != 0)
        return SPLIT_GO_ON;
    json = source_json(element->json, element->length, err);
    if (!json)
        return SPLIT_FAILED;
    if (!PRICE_WORD(offer->path, source_text(json, "currentVersionUrl")) ||
        offer->path[0] != '/') {
        error_set(err, ERROR_UPSTREAM, NULL,
                  "the feed has an unexpected format: the index tells no path for %.40s",
                  element->key);
        return SPLIT_FAILED;
    }
    return SPLIT_GO_ON;
}

bool offer_ask(struct offer *offer, const char *suffix, struct fetch_request *request,
               struct error *err)
{
    bool china = strncmp(offer->document.reading->scope.name, "cn-", 3) == 0;
    char index[64], *end;

    snprintf(index, sizeof index, "/offers/v1.0/%s/AmazonEC2/current/region_index.json",
             china ? "cn" : "aws");
    request->url[0] = '\0';
    if (!fetch_url_add(request, offer->document.reading->url) ||
        !fetch_url_add(request, offer->indexed ? offer->path : index))
        return error_set(err, ERROR_INVALID, "url", "is too long");
    end = offer->indexed ? strrchr(request->url, '.') : NULL;
    if (end && strcmp(end, ".json") == 0)
        memcpy(end, suffix, strlen(suffix) + 1);
    return true;
}

enum reading_state offer_indexed(struct offer *offer, struct error *err)
{
    const struct reading *reading = offer->document.reading;
    char *mark;

    if (!splitter_end(offer->document.splitter, err))
        return READING_FAILED;
    if (!offer->path[0]) {
        error_set(err, ERROR_UPSTREAM, NULL, "the index has no region %.40s",
                  reading->scope.name);
        return READING_FAILED;
    }
    offer->indexed = true;
    mark = price_batch_facts(reading->batch)->mark;
    /* A version that was read without them has to be read once more. */
    snprintf(mark, sizeof price_batch_facts(reading->batch)->mark, "%s%s",
             reading->committed ? "+" : "", offer->path);
    return strcmp(reading->mark, mark) == 0 ? READING_UNCHANGED : READING_ASKS;
}

int offer_wants(const struct aws_row *row, const char *region)
{
    struct aws_row shared = *row;

    if (aws_row_is_wanted(row, region))
        return 1;
    /* Some metal was only published as dedicated, which metal is anyway. */
    if (!row->family || !row->tenancy || !row->usage ||
        strcmp(row->family, "Compute Instance (bare metal)") != 0 ||
        strcmp(row->tenancy, "Dedicated") != 0 || !strstr(row->usage, "DedicatedUsage:"))
        return 0;
    shared.tenancy = "Shared";
    shared.usage = "BoxUsage:";
    return aws_row_is_wanted(&shared, region) ? 2 : 0;
}

void offer_add(struct offer *offer, const struct offer_product *product)
{
    offer->products = xgrow(offer->products, offer->count, &offer->room, sizeof *offer->products);
    offer->products[offer->count++] = *product;
}

static bool add_price(struct offer *offer, const struct offer_product *product, struct error *err)
{
    struct price_batch *batch = offer->document.reading->batch;
    struct price_batch_tally *tally = &price_batch_facts(batch)->tally;
    const char *region = offer->document.reading->scope.name;
    struct price price = {.provider = "aws", .kind = PRICE_ON_DEMAND};

    if (!product->text[0]) {
        tally->unpriced++;
        return true;
    }
    if (!PRICE_WORD(price.region, region) ||
        !PRICE_WORD(price.currency, aws_currency_of(region)) ||
        !PRICE_WORD(price.instance_type, product->type.name) ||
        !PRICE_WORD(price.reference, product->sku) || !price_set(&price, product->text)) {
        tally->malformed++;
        return true;
    }
    if (!price_batch_add(batch, &price, TWIN_IS_AMBIGUOUS, err))
        return false;
    price_batch_add_type(batch, &product->type);
    return true;
}

static bool has_price(const struct offer *offer, const char *type)
{
    for (size_t i = 0; i < offer->count; i++)
        if (!offer->products[i].metal && strcmp(offer->products[i].type.name, type) == 0)
            return true;
    return false;
}

void offer_add_commitment(struct offer *offer, const struct offer_commitment *commitment)
{
    offer->commitments = xgrow(offer->commitments, offer->commitment_count,
                               &offer->commitment_room, sizeof *offer->commitments);
    offer->commitments[offer->commitment_count++] = *commitment;
}

static int by_sku(const void *left, const void *right)
{
    return strcmp(((const struct offer_product *)left)->sku,
                  ((const struct offer_product *)right)->sku);
}

void offer_sort(struct offer *offer)
{
    if (offer->count > 0)
        qsort(offer->products, offer->count, sizeof *offer->products, by_sku);
}

struct offer_product *offer_find(const struct offer *offer, const char *sku)
{
    struct offer_product like;

    return PRICE_WORD(like.sku, sku) && offer->count > 0
               ? bsearch(&like, offer->products, offer->count, sizeof like, by_sku)
               : NULL;
}

static int by_sku_and_kind(const void *left, const void *right)
{
    const struct offer_commitment *a = left, *b = right;
    int order = strcmp(a->sku, b->sku);

    return order ? order : (a->kind > b->kind) - (a->kind < b->kind);
}

bool offer_price_commitment(struct offer *offer, const struct offer_commitment *commitment,
                            struct error *err)
{
    const struct reading *reading = offer->document.reading;
    const struct offer_product *product = offer_find(offer, commitment->sku);
    const struct aws_amounts *amounts = &commitment->amounts;
    struct price price = {.provider = "aws", .kind = commitment->kind};

    if (!product || !product->text[0] || (product->metal && has_price(offer, product->type.name)))
        return true;
    if (amounts->spoiled ||
        !price_set_commitment(&price, amounts->hourly_nanos > 0 ? amounts->hourly_nanos : 0,
                              amounts->upfront_nanos > 0 ? amounts->upfront_nanos : 0) ||
        !PRICE_WORD(price.region, reading->scope.name) ||
        !PRICE_WORD(price.currency, aws_currency_of(reading->scope.name)) ||
        !PRICE_WORD(price.instance_type, product->type.name) ||
        !PRICE_WORD(price.reference, product->sku)) {
        price_batch_facts(reading->batch)->tally.malformed++;
        return true;
    }
    return price_batch_add(reading->batch, &price, TWIN_IS_AMBIGUOUS, err);
}

/* Puts together what was found of one price, and adds it. */
static bool add_commitments(struct offer *offer, struct error *err)
{
    size_t count = offer->commitment_count;
    struct offer_commitment *list = offer->commitments;

    if (count == 0)
        return true;
    offer_sort(offer);
    qsort(list, count, sizeof *list, by_sku_and_kind);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && by_sku_and_kind(&list[i], &list[next]) == 0; next++)
            aws_amounts_join(&list[i].amounts, &list[next].amounts);
        if (!offer_price_commitment(offer, &list[i], err))
            return false;
    }
    return true;
}

bool offer_finish(struct offer *offer, struct error *err)
{
    struct price_batch_tally *tally = &price_batch_facts(offer->document.reading->batch)->tally;

    tally->seen += (long long)offer->count;
    for (size_t i = 0; i < offer->count; i++)
        if (!offer->products[i].metal && !add_price(offer, &offer->products[i], err))
            return false;
    for (size_t i = 0; i < offer->count; i++)
        if (offer->products[i].metal && !has_price(offer, offer->products[i].type.name) &&
            !add_price(offer, &offer->products[i], err))
            return false;
    if (price_batch_count(offer->document.reading->batch) == 0)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the file has no price that passes for on-demand Linux");
    return add_commitments(offer, err);
}

void offer_clear(struct offer *offer)
{
    freep(&offer->products);
    freep(&offer->commitments);
}

bool offer_has(const char *json, size_t length, const char *word)
{
    return memmem(json, length, word, strlen(word)) != NULL;
}
