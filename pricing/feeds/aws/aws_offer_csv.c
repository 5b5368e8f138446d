/* The price list in CSV: a row for each price, on demand and reserved ones mixed, so that all of
 * it must come. Tested by tests/pricing/feeds/aws/aws_offer_test.c. */
#include "common/cleanup.h"
#include "pricing/feeds/aws/aws_offer.h"
#include "pricing/feeds/aws/aws_selection.h"
#include "pricing/feeds/csv.h"
#include "pricing/feeds/sources.h"
#include "pricing/parse_time.h"

#define PREAMBLE_LINES 5

/* The columns we look at; mapped by name, for their number grows. */
enum column {
    SKU,
    TERM_TYPE,
    UNIT,
    STARTING_RANGE,
    ENDING_RANGE,
    PRICE,
    CURRENCY,
    FAMILY,
    LOCATION_TYPE,
    TYPE,
    TENANCY,
    OPERATING_SYSTEM,
    LICENSE,
    USAGE,
    OPERATION,
    CAPACITY,
    MARKET,
    SOFTWARE,
    REGION,
    VCPUS,
    MEMORY,
    TERM_LENGTH,
    TERM_CLASS,
    TERM_OPTION,
    COLUMNS,
};

static const char *const names[COLUMNS] = {
    "SKU",           "TermType",
    "Unit",          "StartingRange",
    "EndingRange",   "PricePerUnit",
    "Currency",      "Product Family",
    "Location Type", "Instance Type",
    "Tenancy",       "Operating System",
    "License Model", "usageType",
    "operation",     "CapacityStatus",
    "MarketOption",  "Pre Installed S/W",
    "Region Code",   "vCPU",
    "Memory",        "LeaseContractLength",
    "OfferingClass", "PurchaseOption",
};

struct sheet {
    struct offer offer;
    struct csv *csv;
    int lines; /* seen so far, down to the header */
    size_t places[COLUMNS], width;
};

static bool read_header(struct sheet *sheet, char *const fields[], size_t count,
                        struct error *err)
{
    /* Where no commitments are wanted, those behind are not looked at. */
    const int needed = sheet->offer.document.reading->committed ? COLUMNS : TERM_LENGTH;

    for (int column = 0; column < needed; column++) {
        size_t place = 0;

        while (place < count && strcmp(fields[place], names[column]) != 0)
            place++;
        if (place == count)
            return error_set(err, ERROR_UPSTREAM, NULL,
                             "the feed has an unexpected format: there is no column %s",
                             names[column]);
        sheet->places[column] = place;
    }
    sheet->width = count;
    return true;
}

static void read_preamble(struct sheet *sheet, char *const fields[], size_t count)
{
    struct price_batch_facts *facts = price_batch_facts(sheet->offer.document.reading->batch);

    if (count >= 2 && strcmp(fields[0], "Publication Date") == 0 &&
        !parse_time(fields[1], &facts->source_us))
        facts->source_us = 0;
}

/* One amount of a reserved instance: what is paid at once has a row of its own. */
static void read_reserved(struct sheet *sheet, const struct aws_row *row,
                          const char *const at[COLUMNS])
{
    const struct aws_term_words words = {
        .length = at[TERM_LENGTH], .class = at[TERM_CLASS], .option = at[TERM_OPTION]};
    const char *region = sheet->offer.document.reading->scope.name;
    struct offer_commitment commitment = {.amounts = AWS_NO_AMOUNTS};

    if (!aws_commitment_kind(&words, &commitment.kind) || offer_wants(row, region) == 0 ||
        strcmp(at[CURRENCY], aws_currency_of(region)) != 0 ||
        !PRICE_WORD(commitment.sku, at[SKU]))
        return;
    aws_amounts_take(&commitment.amounts, at[UNIT], at[PRICE]);
    offer_add_commitment(&sheet->offer, &commitment);
}

/* Keeps every price by the hour of a wanted product, without its text where it is no plain one:
 * offer_settle() needs to see that it is there. */
static void read_row(struct sheet *sheet, const char *const at[COLUMNS])
{
    const struct aws_row row = {.family = at[FAMILY],
                                .operating_system = at[OPERATING_SYSTEM],
                                .tenancy = at[TENANCY],
                                .software = at[SOFTWARE],
                                .capacity = at[CAPACITY],
                                .market = at[MARKET],
                                .license = at[LICENSE],
                                .operation = at[OPERATION],
                                .usage = at[USAGE],
                                .location_type = at[LOCATION_TYPE],
                                .region = at[REGION]};
    const struct aws_rate rate = {.unit = at[UNIT],
                                  .begin_range = at[STARTING_RANGE],
                                  .end_range = at[ENDING_RANGE],

                                  .price = at[PRICE]};
    struct offer_product product = {.type.provider = "aws"};
    const char *region = sheet->offer.document.reading->scope.name;
    int wanted;

    if (strcmp(at[TERM_TYPE], "Reserved") == 0 && sheet->offer.document.reading->committed)
        read_reserved(sheet, &row, at);
    if (strcmp(at[TERM_TYPE], "OnDemand") != 0)
        return;
    wanted = offer_wants(&row, region);
    if (wanted == 0 || strcmp(at[CURRENCY], aws_currency_of(region)) != 0 ||
        !aws_rate_is_hourly(&rate))
        return;
    product.metal = wanted == 2;
    aws_describe_type(at[VCPUS], at[MEMORY], &product.type);
    if (!PRICE_WORD(product.type.name, at[TYPE]) || !PRICE_WORD(product.sku, at[SKU]) ||
        (aws_rate_is_plain(&rate) && !PRICE_WORD(product.text, at[PRICE])))
        price_batch_facts(sheet->offer.document.reading->batch)->tally.malformed++;
    else
        offer_add(&sheet->offer, &product);
}

/* One SKU, one row, as in JSON: with a second price by the hour, even one that costs nothing,
 * the first would be a guess. */
static void offer_settle(struct offer *offer)
{
    size_t kept = 0;

    offer_sort(offer);
    for (size_t i = 0; i < offer->count; i++)
        if (kept > 0 && strcmp(offer->products[kept - 1].sku, offer->products[i].sku) == 0)
            offer->products[kept - 1].text[0] = '\0';
        else
            offer->products[kept++] = offer->products[i];
    offer->count = kept;
}

static bool take_record(void *user, char *const fields[], size_t count, struct error *err)
{
    struct sheet *sheet = user;
    const char *at[COLUMNS];

    if (sheet->lines < PREAMBLE_LINES) {
        sheet->lines++;
        read_preamble(sheet, fields, count);
        return true;
    }
    if (sheet->width == 0)
        return read_header(sheet, fields, count, err);
    if (count != sheet->width)
        return error_set(err, ERROR_UPSTREAM, NULL, "a row has %zu columns, the header %zu",
                         count, sheet->width);
    for (int column = 0; column < COLUMNS; column++)
        at[column] = fields[sheet->places[column]];
    read_row(sheet, at);
    return true;
}

static void sheet_close(void *reader)
{
    struct sheet *sheet = reader;

    if (sheet) {
        offer_clear(&sheet->offer);
        csv_free(sheet->csv);
    }
    document_close(reader);
}

static void *sheet_open(const struct reading *reading, struct error *err)
{
    static const struct document_form form = {.size = sizeof(struct sheet),
                                              .paths = offer_index_paths,
                                              .element_max = 65536,
                                              .element = offer_take_index};
    struct sheet *sheet = document_open(&form, reading, err);

    if (sheet)
        sheet->csv = csv_new(take_record, sheet);
    return sheet;
}

static bool sheet_ask(void *reader, struct fetch_request *request, struct error *err)
{
    return offer_ask(reader, ".csv", request, err);
}

static enum fetch_take sheet_take(void *user, const char *data, size_t length, struct error *err)
{
    struct sheet *sheet = user;

    if (!sheet->offer.indexed)
        return document_take(user, data, length, err);
    return csv_feed(sheet->csv, data, length, err) ? TAKE_MORE : TAKE_FAILED;
}

static enum reading_state sheet_page(void *reader, const struct fetch_response *response,
                                     struct error *err)
{
    struct sheet *sheet = reader;

    (void)response;
    if (!sheet->offer.indexed)
        return offer_indexed(&sheet->offer, err);
    if (!csv_end(sheet->csv, err))
        return READING_FAILED;
    offer_settle(&sheet->offer);
    return offer_finish(&sheet->offer, err) ? READING_DONE : READING_FAILED;
}

static const struct reader_ops offer_csv_ops = {sheet_open, sheet_ask,   sheet_take,
                                                sheet_page, sheet_close, NULL};

const struct source aws_offer_csv = {
    .name = "aws-offer-csv",
    .title = "region on demand (AWS price list, CSV)",
    .provider = "aws",
    .asks_committed = true,
    .url = OFFER_URL,
    .needs = NEEDS_REGIONS,
    .period_seconds = OFFER_PERIOD_SECONDS,
    .max_bytes = OFFER_MAX_BYTES,
    .read = &offer_csv_ops,
};
