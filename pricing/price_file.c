/* Prices from a file on this machine, for whoever has no network: CSV with a header, or JSON,
 *     provider,region,zone,instance_type,kind,currency,price_per_hour,valid_from,reference
 *     {"prices": [{"provider": "aws", ...}]}
 * with the same names. All of it is good, or none is taken. */
#include "common/cleanup.h"
#include "pricing/csv.h"
#include "pricing/document.h"
#include "pricing/sources.h"
#include "pricing/typed.h"

#include <stdint.h>

#define ROW_MAX 8192

enum column {
    PROVIDER,
    REGION,
    ZONE,
    TYPE,
    KIND,
    CURRENCY,
    PRICE,
    VALID_FROM,
    REFERENCE,
    COLUMNS
};

static const char *const names[COLUMNS] = {"provider",       "region",     "zone",
                                           "instance_type",  "kind",       "currency",
                                           "price_per_hour", "valid_from", "reference"};
static const char *const paths[] = {"prices/*", NULL};

struct sheet {
    struct document document;
    struct csv *csv;
    bool begun, is_json;
    bool has_header;
    size_t width, places[COLUMNS]; /* COLUMNS-long; `width` where a column is missing */
    long long row;
};

static bool add_row(struct sheet *sheet, const char *const cells[COLUMNS], struct error *err)
{
    const struct price_row row = {.provider = cells[PROVIDER],
                                  .region = cells[REGION],
                                  .zone = cells[ZONE],
                                  .instance_type = cells[TYPE],
                                  .kind = cells[KIND],
                                  .currency = cells[CURRENCY],
                                  .price_per_hour = cells[PRICE],
                                  .valid_from = cells[VALID_FROM],
                                  .reference = cells[REFERENCE]};
    struct basket *basket = sheet->document.reading->basket;
    struct error why = {0};
    struct price price;

    sheet->row++;
    basket_facts(basket)->tally.seen++;
    if (!price_from_row(&row, &price, &why))
        return error_set(err, ERROR_UPSTREAM, NULL, "price %lld: %s %s", sheet->row, why.field,
                         why.message);
    return basket_add(basket, &price, TWIN_MAY_BE_EQUAL, err);
}

static int column_of(const char *name)
{
    int column = 0;

    while (column < COLUMNS && strcmp(name, names[column]) != 0)
        column++;
    return column;
}

/* A member that is misspelt is not one that was left out: a price would be true in all regions.
 */
static bool read_members(const struct sheet *sheet, const json_t *json,
                         const char *cells[COLUMNS], char ret_number[PRICE_TEXT_SIZE],
                         struct error *err)
{
    long long row = sheet->row + 1;
    void *at;

    if (!json_is_object(json))
        return error_set(err, ERROR_UPSTREAM, NULL, "price %lld: it is no JSON object", row);
    for (int column = 0; column < COLUMNS; column++)
        cells[column] = "";
    for (at = json_object_iter((json_t *)(uintptr_t)json); at;
         at = json_object_iter_next((json_t *)(uintptr_t)json, at)) {
        const json_t *value = json_object_iter_value(at);
        int column = column_of(json_object_iter_key(at));

        if (column == COLUMNS)
            return error_set(err, ERROR_UPSTREAM, NULL, "price %lld: %.40s is not a known field",
                             row, json_object_iter_key(at));
        if (column == PRICE && json_is_number(value)) {
            price_write_number(json_number_value(value), ret_number);
            cells[column] = ret_number;
        } else if (json_is_string(value)) {
            cells[column] = json_string_value(value);
        } else if (!json_is_null(value)) {
            return error_set(err, ERROR_UPSTREAM, NULL, "price %lld: %s must be a string", row,
                             names[column]);
        }
    }
    return true;
}

static enum split_verdict take_element(void *user, const struct split_element *element,
                                       struct error *err)
{
    struct sheet *sheet = user;
    AUTO(json_decrefp) json_t *json = source_json(element->json, element->length, err);
    const char *cells[COLUMNS];
    char number[PRICE_TEXT_SIZE];

    if (!json || !read_members(sheet, json, cells, number, err))
        return SPLIT_FAILED;
    return add_row(sheet, cells, err) ? SPLIT_GO_ON : SPLIT_FAILED;
}

static bool read_header(struct sheet *sheet, char *const fields[], size_t count,
                        struct error *err)
{
    sheet->has_header = true;
    sheet->width = count;
    for (int column = 0; column < COLUMNS; column++)
        sheet->places[column] = count;
    for (size_t i = 0; i < count; i++) {
        int column = column_of(fields[i]);

        if (column == COLUMNS)
            return error_set(err, ERROR_UPSTREAM, NULL, "there is no column '%.40s': see --help",
                             fields[i]);
        sheet->places[column] = i;
    }
    if (sheet->places[TYPE] == count || sheet->places[PRICE] == count)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the columns instance_type and price_per_hour are needed");
    return true;
}

static bool take_record(void *user, char *const fields[], size_t count, struct error *err)
{
    struct sheet *sheet = user;
    const char *cells[COLUMNS];

    if (!sheet->has_header)
        return read_header(sheet, fields, count, err);
    if (count != sheet->width)
        return error_set(err, ERROR_UPSTREAM, NULL, "price %lld has %zu columns, the header %zu",
                         sheet->row + 1, count, sheet->width);
    for (int column = 0; column < COLUMNS; column++)
        cells[column] = sheet->places[column] < count ? fields[sheet->places[column]] : "";
    return add_row(sheet, cells, err);
}

static void sheet_close(void *reader)
{
    if (reader)
        csv_free(((struct sheet *)reader)->csv);
    document_close(reader);
}

static void *sheet_open(const struct reading *reading, struct error *err)
{
    static const struct document_form form = {.size = sizeof(struct sheet),
                                              .paths = paths,
                                              .element_max = ROW_MAX,
                                              .element = take_element};
    struct sheet *sheet = document_open(&form, reading, err);

    if (!sheet)
        return NULL;
    sheet->csv = csv_new(take_record, sheet, err);
    if (sheet->csv)
        return sheet;
    sheet_close(sheet);
    return NULL;
}

static bool sheet_ask(void *reader, struct fetch_request *request, struct error *err)
{
    const struct reading *reading = ((struct document *)reader)->reading;

    return source_ask_once(reading, reading->url, request, err);
}

static enum fetch_take sheet_take(void *user, const char *data, size_t length, struct error *err)
{
    struct sheet *sheet = user;

    if (!sheet->begun)
        sheet->is_json = *data == '{';
    sheet->begun = true;
    if (sheet->is_json)
        return document_take(user, data, length, err);
    return csv_feed(sheet->csv, data, length, err) ? TAKE_MORE : TAKE_FAILED;
}

static enum reading_state sheet_page(void *reader, const struct fetch_response *response,
                                     struct error *err)
{
    struct sheet *sheet = reader;

    (void)response;
    if (sheet->is_json ? !splitter_end(sheet->document.splitter, err) : !csv_end(sheet->csv, err))
        return READING_FAILED;
    if (basket_facts(sheet->document.reading->basket)->tally.ambiguous > 0) {
        error_set(err, ERROR_UPSTREAM, NULL, "a price is there twice, and not the same");
        return READING_FAILED;
    }
    return READING_DONE;
}

static const struct reader_ops read_ops = {sheet_open, sheet_ask, sheet_take, sheet_page,
                                           sheet_close};

const struct source price_file = {
    .name = "price-file",
    .title = "a file on this machine",
    .provider = "",
    .url = "",
    .needs = NEEDS_FILE,
    .on = true,
    .period_seconds = 300,
    .max_bytes = 64 * 1024 * 1024,
    .read = &read_ops,
};
