/* The price list in JSON: products and their terms are two sections that are joined by the SKU,
 * in whichever order they come. Tested by tests/pricing/feeds/aws/aws_offer_test.c. */
#include "common/cleanup.h"
#include "common/memory.h"
#include "pricing/feeds/aws/aws_offer.h"
#include "pricing/feeds/aws/aws_selection.h"
#include "pricing/feeds/sources.h"
#include "pricing/parse_time.h"

enum { PATH_PUBLISHED, PATH_PRODUCT, PATH_TERM, PATH_RESERVED };
static const char *const offer_paths[] = {"publicationDate", "products/*", "terms/OnDemand/*",
                                          NULL};
static const char *const all_paths[] = {"publicationDate", "products/*", "terms/OnDemand/*",
                                        "terms/Reserved/*", NULL};

/* A price that may belong to a product that is wanted. */
struct term {
    char sku[SKU_SIZE];
    char text[32];
};

struct list {
    struct offer offer;
    bool has_products, has_terms, sorted;
    bool joined; /* products have their prices */
    struct term *terms;
    size_t count, room;
};

/* False for most products that are not wanted, by their bytes alone; true where these hold an
 * escape, which could spell the words in another way. */
static bool may_be_wanted(const char *json, size_t length)
{
    return memchr(json, '\\', length) ||
           (offer_has(json, length, "\"Linux\"") && offer_has(json, length, "\"NA\"") &&
            (offer_has(json, length, "BoxUsage:") || offer_has(json, length, "(bare metal)")));
}

static const char *architecture_of(const json_t *attributes)
{
    const char *processor = source_text(attributes, "physicalProcessor");

    if (strstr(processor, "Graviton"))
        return "arm64";
    return strstr(processor, "Intel") || strstr(processor, "AMD") ? "x86_64" : "";
}

static bool take_product(struct list *list, const struct split_element *element,
                         struct error *err)
{
    AUTO(json_decrefp) json_t *json = NULL;
    const json_t *attributes;
    struct offer_product product = {.type.provider = "aws"};
    struct aws_row row;
    int wanted;

    if (list->sorted)
        return error_set(err, ERROR_UPSTREAM, NULL, "products come twice");
    list->has_products = true;
    if (!may_be_wanted(element->json, element->length))
        return true;
    json = source_json(element->json, element->length, err);
    if (!json)
        return false;
    attributes = json_object_get(json, "attributes");
    row = aws_row_of(attributes, source_text(json, "productFamily"));
    wanted = offer_wants(&row, list->offer.document.reading->scope.name);
    if (wanted == 0)
        return true;
    product.metal = wanted == 2;
    aws_describe_type(source_text(attributes, "vcpu"), source_text(attributes, "memory"),
                      &product.type);
    snprintf(product.type.architecture, sizeof product.type.architecture, "%s",
             architecture_of(attributes));
    if (!PRICE_WORD(product.type.name, source_text(attributes, "instanceType")) ||
        !PRICE_WORD(product.sku, element->key))
        return price_batch_facts(list->offer.document.reading->batch)->tally.malformed++, true;
    offer_add(&list->offer, &product);
    return true;
}

static int terms_by_sku(const void *left, const void *right)
{
    return strcmp(((const struct term *)left)->sku, ((const struct term *)right)->sku);
}

/* Once products were here, all of them were: a term of no wanted product is passed over. */
static bool is_of_interest(struct list *list, const char *sku)
{
    if (!list->has_products)
        return true;
    if (!list->sorted)
        offer_sort(&list->offer);
    list->sorted = true;
    return offer_find(&list->offer, sku) != NULL;
}

static void keep_term(struct list *list, const struct term *term)
{
    list->terms = xgrow(list->terms, list->count, &list->room, sizeof *list->terms);
    list->terms[list->count++] = *term;
}

static bool take_term(struct list *list, const struct split_element *element, struct error *err)
{
    AUTO(json_decrefp) json_t *json = NULL;
    const char *currency = aws_currency_of(list->offer.document.reading->scope.name);
    const char *text, *rate_code, *since;
    struct term term;

    if (list->joined)
        return error_set(err, ERROR_UPSTREAM, NULL, "terms on demand come twice");
    list->has_terms = true;
    if (!is_of_interest(list, element->key))
        return true;
    json = source_json(element->json, element->length, err);
    if (!json)
        return false;
    if (!aws_term_price(json, currency, &text, &rate_code, &since))
        return true;
    if (PRICE_WORD(term.sku, element->key) && PRICE_WORD(term.text, text))
        keep_term(list, &term);
    return true;
}

/* Gives each product the price of its SKU; a SKU with two has none. */
static void offer_join(struct list *list)
{
    list->joined = true;
    if (list->count == 0)
        return;
    qsort(list->terms, list->count, sizeof *list->terms, terms_by_sku);
    for (size_t i = 0; i < list->offer.count; i++) {
        struct offer_product *product = &list->offer.products[i];
        struct term like, *found, *last = list->terms + list->count - 1;

        memcpy(like.sku, product->sku, sizeof like.sku);
        found = bsearch(&like, list->terms, list->count, sizeof like, terms_by_sku);
        if (found && (found == list->terms || terms_by_sku(found, found - 1) != 0) &&
            (found == last || terms_by_sku(found, found + 1) != 0))
            memcpy(product->text, found->text, sizeof product->text);
    }
}

/* All terms of one SKU, brought together by their kinds. */
static bool take_reserved_terms(struct list *list, const char *sku, json_t *terms,
                                struct error *err)
{
    const char *currency = aws_currency_of(list->offer.document.reading->scope.name);
    struct offer_commitment found[PRICE_KINDS] = {{.sku = ""}}, one = {.sku = ""};
    const char *key;
    json_t *term;

    if (!PRICE_WORD(one.sku, sku))
        return true;
    json_object_foreach(terms, key, term)
    {
        if (!aws_commitment_read(term, currency, &one.kind, &one.amounts))
            continue;
        if (found[one.kind].sku[0])
            aws_amounts_join(&found[one.kind].amounts, &one.amounts);
        else
            found[one.kind] = one;
    }
    for (int kind = PRICE_COMMITTED; kind < PRICE_KINDS; kind++) {
        if (!found[kind].sku[0])
            continue;
        if (!list->joined)
            offer_add_commitment(&list->offer, &found[kind]);
        else if (!offer_price_commitment(&list->offer, &found[kind], err))
            return false;
    }
    return true;
}

/* Where they come before the products, as they never did, it is not known which are wanted, and
 * all of them are too many to keep: they are passed over. */
static bool take_reserved(struct list *list, const struct split_element *element,
                          struct error *err)
{
    AUTO(json_decrefp) json_t *json = NULL;

    if (!list->has_products || !is_of_interest(list, element->key))
        return true;
    if (list->has_terms && !list->joined)
        offer_join(list);
    json = source_json(element->json, element->length, err);
    return json && take_reserved_terms(list, element->key, json, err);
}

static enum split_verdict take_offer_element(void *user, const struct split_element *element,
                                             struct error *err)
{
    struct list *list = user;
    char text[64];
    bool ok = true;

    if (!list->offer.indexed)
        return offer_take_index(user, element, err);
    switch (element->path) {
    case PATH_PUBLISHED:
        if (element->length > 2 && element->length < sizeof text) {
            struct price_batch_facts *facts =
                price_batch_facts(list->offer.document.reading->batch);

            snprintf(text, sizeof text, "%.*s", (int)element->length - 2, element->json + 1);
            ok = parse_time(text, &facts->source_us) || (facts->source_us = 0, true);
        }
        break;
    case PATH_PRODUCT:
        ok = take_product(list, element, err);
        break;
    case PATH_RESERVED:
        ok = take_reserved(list, element, err);
        break;
    default:
        ok = take_term(list, element, err);
    }
    return ok ? SPLIT_GO_ON : SPLIT_FAILED;
}

static enum split_verdict at_reserved(void *user, struct error *err)
{
    struct list *list = user;

    (void)err;
    return list->has_products && list->has_terms ? SPLIT_STOP : SPLIT_GO_ON;
}

static void list_close(void *reader)
{
    struct list *list = reader;

    if (list) {
        offer_clear(&list->offer);
        freep(&list->terms);
    }
    document_close(reader);
}

static bool list_ask(void *reader, struct fetch_request *request, struct error *err)
{
    return offer_ask(reader, ".json", request, err);
}

static enum reading_state list_page(void *reader, const struct fetch_response *response,
                                    struct error *err)
{
    static const struct document_form offer_form = {.paths = offer_paths,
                                                    .element_max = OFFER_ELEMENT_MAX,
                                                    .element = take_offer_element,
                                                    .gate = "terms/Reserved",
                                                    .at_gate = at_reserved};
    static const struct document_form whole = {
        .paths = all_paths, .element_max = OFFER_ELEMENT_MAX, .element = take_offer_element};
    struct list *list = reader;

    (void)response;
    if (!list->offer.indexed) {
        enum reading_state state = offer_indexed(&list->offer, err);

        return state != READING_ASKS ||
                       document_again(
                           &list->offer.document,
                           list->offer.document.reading->committed ? &whole : &offer_form, err)
                   ? state
                   : READING_FAILED;
    }
    if (!splitter_end(list->offer.document.splitter, err))
        return READING_FAILED;
    if (splitter_oversized(list->offer.document.splitter) > 0) {
        error_set(err, ERROR_UPSTREAM, NULL, "a product is larger than %d bytes",
                  OFFER_ELEMENT_MAX);
        return READING_FAILED;
    }
    if (!list->joined)
        offer_join(list);
    return offer_finish(&list->offer, err) ? READING_DONE : READING_FAILED;
}

static const struct document_form offer_form = {
    .size = sizeof(struct list),
    .paths = offer_index_paths,
    .element_max = OFFER_ELEMENT_MAX,
    .element = offer_take_index,
};
static const struct reader_ops offer_json_ops = {NULL,      list_ask,   document_take,
                                                 list_page, list_close, &offer_form};

const struct source aws_offer = {
    .name = "aws-offer",
    .title = "region on demand (AWS price list)",
    .provider = "aws",
    .asks_committed = true,
    .url = OFFER_URL,
    .needs = NEEDS_REGIONS,
    .period_seconds = OFFER_PERIOD_SECONDS,
    .max_bytes = OFFER_MAX_BYTES,
    .read = &offer_json_ops,
};
