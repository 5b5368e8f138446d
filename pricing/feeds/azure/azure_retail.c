/* Azure Retail Prices: every price of virtual machines in a region, one small object each, in
 * pages that name the next by a whole link. Most rows are not what an hour of Linux costs:
 * Windows, prices for developers, what is left of Low Priority. A reservation has a row of its
 * own, whose price is for the whole term; it costs the same paid by the month, and so nothing of
 * it is paid at once. Prices of savings plans stand in the row on demand, by the hour. */
#include "common/cleanup.h"
#include "common/hash.h"
#include "common/json_number.h"
#include "common/memory.h"
#include "common/text.h"
#include "pricing/commitment.h"
#include "pricing/feeds/json_page.h"
#include "pricing/feeds/pages.h"
#include "pricing/feeds/sources.h"
#include "pricing/parse_time.h"

#include <strings.h>

#define ITEM_MAX (64 * 1024)
#define ROWS_MAX 500000 /* a region has 16,000 */

enum { PATH_ITEM, PATH_NEXT, PATH_CURRENCY, PATH_COUNT };
static const char *const paths[] = {"Items/*", "NextPageLink", "BillingCurrency", "Count", NULL};

struct reader {
    struct document document;
    char link[FETCH_URL_MAX]; /* of the page that is next; "" for the first */
    struct pages pages;
    uint64_t *rows; /* what identifies each row that is in force, in the whole walk */
    size_t row_count, row_room;
    long long foreign; /* of the entries, those in another currency */
    char currency[8];  /* of the last of them */
    /* Of the page that is being read: */
    json_int_t items, promised; /* promised: -1 where the page has not said how many there are */
    bool has_next;
    char next[FETCH_URL_MAX]; /* "" for the last page */
};

/* Letters and digits: the name stands between quotes in a filter. */
static bool is_region(const char *name)
{
    return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789")];
}

static bool first_url(const struct reading *reading, struct fetch_request *request)
{
    char filter[200];

    snprintf(filter, sizeof filter,
             "serviceName eq 'Virtual Machines' and armRegionName eq '%s' and "
             "(priceType eq 'Consumption' or priceType eq 'Reservation')",
             reading->scope.name);
    return fetch_url_add(request, reading->url) &&
           fetch_url_add(request, "?api-version=2023-01-01-preview&$filter=") &&
           fetch_url_value(request, filter);
}

/* A time that the item may lack; false where it is none. */
static bool read_time(const json_t *item, const char *name, long long *ret_us)
{
    const json_t *value = json_object_get(item, name);

    *ret_us = 0;
    if (!value || json_is_null(value))
        return true;
    return json_is_string(value) && parse_time(json_string_value(value), ret_us);
}

static bool retail_is(const json_t *item, const char *name, const char *wanted)
{
    return strcmp(source_text(item, name), wanted) == 0;
}

static bool retail_contains(const json_t *item, const char *name, const char *part)
{
    return strstr(source_text(item, name), part) != NULL;
}

/* "1 Year", "3 Years"; 0 for anything else. */
static int years_of(const char *term)
{
    if (strcmp(term, "1 Year") == 0)
        return 1;
    return strcmp(term, "3 Years") == 0 ? 3 : 0;
}

/* Linux, for everybody: on demand, spot or reserved. */
static bool is_wanted(const struct reader *reader, const json_t *item)
{
    const char *product = source_text(item, "productName");
    const char *sku = source_text(item, "skuName");

    return retail_is(item, "armRegionName", reader->document.reading->scope.name) &&
           retail_is(item, "serviceName", "Virtual Machines") &&
           retail_is(item, "currencyCode", "USD") && retail_is(item, "unitOfMeasure", "1 Hour") &&
           (retail_is(item, "type", "Reservation")
                ? years_of(source_text(item, "reservationTerm")) > 0 && !strstr(sku, " Spot")
                : retail_is(item, "reservationTerm", "")) &&
           !retail_is(item, "armSkuName", "") && *product && *sku &&
           !text_ends_with(product, " Windows") &&
           !retail_contains(item, "productName", "Cloud Services") &&
           !retail_contains(item, "productName", "CloudServices") &&
           !retail_contains(item, "productName", "Dedicated") && !strstr(sku, " Low Priority") &&
           (!strstr(sku, " Spot") || text_ends_with(sku, " Spot"));
}

static bool note_row(struct reader *reader, const json_t *item, struct error *err)
{
    uint64_t hash = hash_part(HASH_START, source_text(item, "meterId"));

    if (reader->row_count == ROWS_MAX)
        return error_set(err, ERROR_UPSTREAM, NULL, "a region has more than %d prices", ROWS_MAX);
    reader->rows =
        xgrow(reader->rows, reader->row_count, &reader->row_room, sizeof *reader->rows);
    hash = hash_part(hash, source_text(item, "skuId"));
    reader->rows[reader->row_count++] = hash_part(hash, source_text(item, "reservationTerm"));
    return true;
}

/* A price of the item that is still without its kind and its amount. */
static struct price price_of(const json_t *item, long long since_us)
{
    bool spot = text_ends_with(source_text(item, "skuName"), " Spot");

    return (struct price){.kind = spot ? PRICE_SPOT : PRICE_ON_DEMAND,
                          .provider = "azure",
                          .currency = "USD",
                          .source_us = since_us};
}

/* Adds a price whose amount was read, or not. */
static bool add_price(struct reader *reader, const json_t *item, struct price *price,
                      bool is_read, struct error *err)
{
    struct price_batch *batch = reader->document.reading->batch;

    if (!is_read || !PRICE_WORD(price->region, reader->document.reading->scope.name) ||
        !PRICE_WORD(price->instance_type, source_text(item, "armSkuName")) ||
        !PRICE_WORD(price->reference, source_text(item, "meterId"))) {
        price_batch_facts(batch)->tally.malformed++;
        return true;
    }
    return price_batch_add(batch, price, TWIN_IS_AMBIGUOUS, err);
}

/* Turns an amount for so many hours into the amount for one. */
static bool read_commitment(const json_t *amount, const struct price_terms *terms,
                            long long hours, struct price *price)
{
    char text[PRICE_TEXT_SIZE];
    long long nanos;

    if (!json_is_number(amount) || !price_kind_of_terms(terms, &price->kind))
        return false;
    json_number_write(json_number_value(amount), text);
    return price_read_amount(text, &nanos) &&
           price_set_commitment(price, (nanos + hours / 2) / hours, 0);
}

static bool add_reservation(struct reader *reader, const json_t *item, long long since_us,
                            struct error *err)
{
    const struct price_terms terms = {.commitment = COMMITMENT_RESERVED,
                                      .years = years_of(source_text(item, "reservationTerm")),
                                      .payment = PAYMENT_BY_HOUR};
    struct price price = price_of(item, since_us);
    bool is_read = read_commitment(json_object_get(item, "retailPrice"), &terms,
                                   (long long)terms.years * COMMITMENT_YEAR_HOURS, &price);

    return add_price(reader, item, &price, is_read, err);
}

static bool add_savings_plans(struct reader *reader, const json_t *item, long long since_us,
                              struct error *err)
{
    const json_t *plans = json_object_get(item, "savingsPlan");

    for (size_t i = 0; i < json_array_size(plans); i++) {
        const json_t *plan = json_array_get(plans, i);
        const struct price_terms terms = {.commitment = COMMITMENT_SAVINGS_PLAN,
                                          .years = years_of(source_text(plan, "term")),
                                          .payment = PAYMENT_BY_HOUR};
        struct price price = price_of(item, since_us);
        bool is_read = read_commitment(json_object_get(plan, "retailPrice"), &terms, 1, &price);

        if (!add_price(reader, item, &price, is_read, err))
            return false;
    }
    return true;
}

static bool add_prices(struct reader *reader, const json_t *item, long long since_us,
                       struct error *err)
{
    const json_t *number = json_object_get(item, "retailPrice");
    struct price price = price_of(item, since_us);
    bool is_read;

    if (retail_is(item, "type", "Reservation"))
        return add_reservation(reader, item, since_us, err);
    is_read = json_is_number(number) && price_set_number(&price, json_number_value(number));
    return add_price(reader, item, &price, is_read, err) &&
           (price.kind == PRICE_SPOT || add_savings_plans(reader, item, since_us, err));
}

static void note_currency(struct reader *reader, const json_t *item)
{
    const char *currency = source_text(item, "currencyCode");

    if (!*currency || strcmp(currency, "USD") == 0)
        return;
    reader->foreign++;
    snprintf(reader->currency, sizeof reader->currency, "%s", currency);
}

static bool read_item(struct reader *reader, const struct split_element *element,
                      struct error *err)
{
    struct price_batch_tally *tally = &price_batch_facts(reader->document.reading->batch)->tally;
    AUTO(json_decrefp) json_t *item = source_json(element->json, element->length, err);
    const json_t *tier = json_object_get(item, "tierMinimumUnits");
    long long now_us = reader->document.reading->now_us, since_us, until_us;

    if (!item)
        return false;
    reader->items++;
    tally->seen++;
    note_currency(reader, item);
    if (!json_is_object(item) || retail_is(item, "meterId", "") || retail_is(item, "skuId", "") ||
        !read_time(item, "effectiveStartDate", &since_us) ||
        !read_time(item, "effectiveEndDate", &until_us)) {
        tally->malformed++;
        return true;
    }
    /* A row that has ended, has not begun, or holds only beyond some hours is not what an hour
     * costs now; a meter may have such rows as well as the current one. */
    if ((!retail_is(item, "type", "Consumption") && !retail_is(item, "type", "Reservation")) ||
        since_us > now_us || (until_us > 0 && until_us <= now_us) ||
        (tier && json_number_value(tier) != 0))
        return true;
    return note_row(reader, item, err) &&
           (!is_wanted(reader, item) || add_prices(reader, item, since_us, err));
}

static bool read_next(struct reader *reader, const struct split_element *element,
                      struct error *err)
{
    if (reader->has_next)
        return error_set(err, ERROR_UPSTREAM, NULL, "a page has two links to the next");
    reader->has_next = true;
    return pages_text(element, reader->next, sizeof reader->next, err);
}

static bool check_currency(const struct split_element *element, struct error *err)
{
    char currency[16];

    return pages_text(element, currency, sizeof currency, err) &&
           (strcmp(currency, "USD") == 0 ||
            error_set(err, ERROR_UPSTREAM, NULL, "the prices are in '%s', not in USD", currency));
}

static bool read_count(struct reader *reader, const struct split_element *element,
                       struct error *err)
{
    AUTO(json_decrefp) json_t *count = source_json(element->json, element->length, err);

    if (count && !json_is_integer(count))
        return error_set(err, ERROR_UPSTREAM, NULL, "the count of a page is not a number");
    reader->promised = json_integer_value(count);
    return count != NULL;
}

static enum split_verdict on_element(void *user, const struct split_element *element,
                                     struct error *err)
{
    bool ok = false;

    switch (element->path) {
    case PATH_ITEM:
        ok = read_item(user, element, err);
        break;
    case PATH_NEXT:
        ok = read_next(user, element, err);
        break;
    case PATH_CURRENCY:
        ok = check_currency(element, err);
        break;
    case PATH_COUNT:
        ok = read_count(user, element, err);
        break;
    }
    return ok ? SPLIT_GO_ON : SPLIT_FAILED;
}

static const struct document_form form = {
    .size = sizeof(struct reader),
    .paths = paths,
    .element_max = ITEM_MAX,
    .element = on_element,
};

static void *open_reader(const struct reading *reading, struct error *err)
{
    if (is_region(reading->scope.name))
        return document_open(&form, reading, err);
    error_set(err, ERROR_INVALID, NULL, "'%s' is not a region of Azure, like eastus2",
              reading->scope.name);
    return NULL;
}

static void close_reader(void *user)
{
    struct reader *reader = user;

    freep(&reader->rows);
    document_close(reader);
}

static bool retail_ask(void *user, struct fetch_request *request, struct error *err)
{
    struct reader *reader = user;

    if (!document_again(&reader->document, &form, err))
        return false;
    reader->items = 0;
    reader->promised = -1;
    reader->has_next = false;
    reader->next[0] = '\0';
    if (!(reader->link[0] ? fetch_url_add(request, reader->link)
                          : first_url(reader->document.reading, request)))
        return error_set(err, ERROR_INVALID, NULL, "the URL is too long");
    return reader->pages.count > 0 || pages_go_on(&reader->pages, request->url, err);
}

/* Scheme, host and port of a URL; the port that a scheme has anyway is left out. */
struct origin {
    char scheme[8];
    char host[200];
};

static bool read_origin(const char *url, struct origin *ret_origin)
{
    const char *host = strstr(url, "://");
    size_t scheme_length = host ? (size_t)(host - url) : 0, length;

    if (!host || scheme_length >= sizeof ret_origin->scheme)
        return false;
    host += strlen("://");
    length = strcspn(host, "/?#");
    /* Nothing that two readers of URLs might read differently. */
    if (length == 0 || length >= sizeof ret_origin->host ||
        strspn(host, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-:[]") <
            length)
        return false;
    snprintf(ret_origin->scheme, sizeof ret_origin->scheme, "%.*s", (int)scheme_length, url);
    snprintf(ret_origin->host, sizeof ret_origin->host, "%.*s", (int)length, host);

    const char *port = strcasecmp(ret_origin->scheme, "https") == 0 ? ":443" : ":80";
    if (text_ends_with(ret_origin->host, port))
        ret_origin->host[strlen(ret_origin->host) - strlen(port)] = '\0';
    return true;
}

/* The link comes from outside: it may lead on, but not away. */
static bool check_link(const struct reader *reader, struct error *err)
{
    struct origin here, there;

    for (const char *c = reader->next; *c; c++)
        if (*c <= 0x20 || *c > 0x7e || *c == '"' || *c == '\\' || *c == '<' || *c == '>')
            return error_set(err, ERROR_UPSTREAM, NULL, "the link to the next page is not a URL");
    if (!read_origin(reader->document.reading->url, &here) ||
        !read_origin(reader->next, &there) || strcasecmp(here.scheme, there.scheme) != 0 ||
        strcasecmp(here.host, there.host) != 0)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the next page is said to be at %.120s, which is not followed",
                         reader->next);
    return true;
}

static int compare_rows(const void *left_pointer, const void *right_pointer)
{
    uint64_t left, right;

    memcpy(&left, left_pointer, sizeof left);
    memcpy(&right, right_pointer, sizeof right);
    return (left > right) - (left < right);
}

/* Pages are cut out of a list that may change meanwhile: then a row comes twice, and another may
 * not come at all. */
static bool check_rows(struct reader *reader, struct error *err)
{
    if (reader->row_count > 0)
        qsort(reader->rows, reader->row_count, sizeof *reader->rows, compare_rows);
    for (size_t i = 1; i < reader->row_count; i++)
        if (reader->rows[i - 1] == reader->rows[i])
            return error_set(err, ERROR_BUSY, NULL,
                             "the list changed while it was read: a price came twice");
    return true;
}

static bool check_page(struct reader *reader, struct error *err)
{
    if (!splitter_end(reader->document.splitter, err))
        return false;
    if (splitter_oversized(reader->document.splitter) > 0)
        return error_set(err, ERROR_UPSTREAM, NULL, "an entry has more than %d bytes", ITEM_MAX);
    if (reader->promised >= 0 ? reader->promised != reader->items : reader->items == 0)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "a page has %lld entries and says that it has %lld",
                         (long long)reader->items, (long long)reader->promised);
    return true;
}

/* A region that is misspelt is answered with an empty list, not with an error. */
static bool check_prices(const struct reader *reader, struct error *err)
{
    const struct reading *reading = reader->document.reading;
    long long seen = price_batch_facts(reading->batch)->tally.seen;

    if (price_batch_count(reading->batch) > 0)
        return true;
    if (seen == 0)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "it lists nothing for the region '%.40s': is that how Azure writes it, "
                         "like eastus2?",
                         reading->scope.name);
    if (reader->foreign > 0)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "its prices are in %s, and only USD is read (%lld of %lld entries)",
                         reader->currency, reader->foreign, seen);
    return error_set(err, ERROR_UPSTREAM, NULL,
                     "none of its %lld entries is a price of an hour of Linux that can be taken",
                     seen);
}

static enum reading_state retail_page(void *user, const struct fetch_response *response,
                                      struct error *err)
{
    struct reader *reader = user;

    (void)response;
    if (!check_page(reader, err))
        return READING_FAILED;
    if (!reader->next[0])
        return check_rows(reader, err) && check_prices(reader, err) ? READING_DONE
                                                                    : READING_FAILED;
    if (!check_link(reader, err) || !pages_go_on(&reader->pages, reader->next, err))
        return READING_FAILED;
    memcpy(reader->link, reader->next, sizeof reader->link);
    return READING_ASKS;
}

static const struct reader_ops ops = {open_reader, retail_ask,   document_take,
                                      retail_page, close_reader, NULL};

const struct source azure_retail = {
    .name = "azure-retail",
    .title = "list price (Azure Retail Prices); spot is a list price, not a quote",
    .provider = "azure",
    .url = "https://prices.azure.com/api/retail/prices",
    .on = true,
    .usual_region = "eastus",
    .needs = NEEDS_REGIONS,
    .has_spot = true,
    .period_seconds = 6 * 3600,
    .pace_seconds = 7 * 3600, /* it has no time of its own: the time between two readings */
    .max_bytes = 16 * 1024 * 1024,
    .read = &ops,
};
